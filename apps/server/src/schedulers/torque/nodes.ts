import { readBounded } from '../bounds'
import type { NodeInfo, NodeState } from '../scheduler'
import { megabytes } from './jobs'
import { xmlRecords, type XmlRecord } from './xml'

const order: [NodeState, string[]][] = [
  ['down', ['down']],
  ['offline', ['offline']],
  ['busy', ['job-exclusive', 'job-sharing', 'busy']],
  ['available', ['free']],
]

export const readNodes = (xml: string): NodeInfo[] => readBounded('nodes', xmlRecords(xml, 'Node'), readNode)

function readNode(node: XmlRecord): NodeInfo {
  const states = (node.state ?? '').split(',')
  const asleep = node.power_state !== undefined && node.power_state !== 'Running'
  const found = order.find(([, names]) => names.some((name) => states.includes(name)))?.[0] ?? 'unknown'
  const state = asleep ? 'offline' : found
  const status = statusOf(node.status ?? '')
  const slots = (node.jobs ?? '').split(/,\s*/).filter(Boolean)
  const load = status.loadave === undefined ? undefined : Number(status.loadave)
  return {
    name: node.name ?? '',
    state,
    nativeState: states.join(),
    note: asleep ? 'not started' : '',
    cores: Number(node.np ?? 0),
    coresUsed: slots.reduce((sum, slot) => sum + countSlots(slot.split('/', 1)[0] ?? ''), 0),
    gpus: Number(node.gpus ?? 0),
    // Torque reports used GPUs with the jobs, not with the nodes; `placed` sums them up.
    gpusUsed: 0,
    memoryMb: megabytes(status.physmem) ?? 0,
    memoryFreeMb: megabytes(status.availmem),
    load,
    partitions: [],
    // A note stays when the node is resumed, so it is only valid as the reason of a drained node.
    reason: states.includes('offline') ? (node.note ?? '') : '',
    jobs: [...new Set(slots.map((slot) => slot.replace(/^[^/]*\//, '')))],
  }
}

/** Counts slots: `0-3` is four, `2` is one. */
function countSlots(slots: string): number {
  const [first = 0, last = first] = slots.split('-').map(Number)
  return last - first + 1
}

/** Parses `opsys=linux,uname=Linux head 6.1,loadave=2.83`; a comma separates only before a name and `=`. */
const statusOf = (status: string): Record<string, string> =>
  Object.fromEntries(
    status.split(/,(?=\w+=)/).map((part) => [part.replace(/=.*$/s, ''), part.replace(/^[^=]*=/, '')]),
  )
