import type { Tone } from '../ui/status/tone'

export interface Node {
  id: string
  name: string
  state: string
  tone: Tone
  cluster: string
  type: string
  cores: number
  memory: number
  load: number | null
  tags: readonly string[]
  since: number
  address: string
  version: number
}

const states: readonly (readonly [string, Tone])[] = [
  ['available', 'green'],
  ['busy', 'blue'],
  ['available', 'green'],
  ['offline', 'gray'],
  ['available', 'green'],
  ['down', 'red'],
  ['draining', 'amber'],
]
const clusters = ['aurora-cfd', 'genomics-eu', 'render-farm-2', 'training-lab', 'weather-nightly']
const types = ['c5n.9xlarge', 'Standard_HB120rs_v3', 'h3-standard-88', 't4g.2xlarge', 'BM.GPU4.8']
const cores = [36, 120, 88, 8, 64]

/** Returns the same rows every time, so that screenshots can be compared. */
export function makeNodes(count: number, now: number): Node[] {
  return Array.from({ length: count }, (_, at) => {
    const kind = (at * 7 + (at >> 3)) % types.length
    const [state, tone] = states[(at * 5 + (at >> 2)) % states.length] ?? ['unknown', 'gray']
    const cluster = clusters[(at + (at >> 4)) % clusters.length] ?? ''
    return {
      id: `node-${at}`,
      name: `${cluster.split('-')[0]}-n${at + 1}`,
      state,
      tone,
      cluster,
      type: types[kind] ?? '',
      cores: cores[kind] ?? 1,
      memory: (cores[kind] ?? 1) * 4,
      load: state === 'busy' ? ((at * 37) % 1000) / 10 : state === 'available' ? 0 : null,
      tags: at % 3 === 0 ? ['gpu', 'spot'] : at % 4 === 0 ? ['infiniband'] : [],
      since: now - ((at * 7919) % 5000) * 60_000 - 12_000,
      address: `10.${(at >> 16) % 256}.${(at >> 8) % 256}.${at % 256}`,
      version: 0,
    }
  })
}
