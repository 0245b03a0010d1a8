import type { Range } from '../../../src/modules/usage/ranges'
import { DAY, HOUR } from './usage'

export type Job = {
  cluster_id: string
  who: string
  size: string
  started_at: Date
  ended_at: Date | null
  cores: number
  gpus: number
  nodes: number
}
export type Rate = {
  cluster_id: string
  size: string
  from_at: Date
  per_core_hour: number | null
  per_gpu_hour: number | null
}
export type Sums = {
  jobs: number
  core: number
  gpu: number
  node: number
  price: number
  unpriced: number
  priced: boolean
}

/**
 * The expected result of the ledger, computed in the simplest way: every job is split at each price change and at each
 * midnight. A job that has not ended counts until its cluster was last seen.
 */
export function plain(
  jobs: Job[],
  rates: Rate[],
  range: Range & { seen: number },
  keyOf: (job: Job, at: number) => string,
) {
  const found = new Map<string, Sums>()
  const of = (key: string) => {
    const sums = found.get(key) ?? { jobs: 0, core: 0, gpu: 0, node: 0, price: 0, unpriced: 0, priced: false }
    found.set(key, sums)
    return sums
  }
  const [from, to] = [range.from.getTime(), range.to.getTime()]
  for (const one of jobs) {
    const start = one.started_at.getTime()
    const end = one.ended_at?.getTime() ?? Math.max(start, range.seen)
    if (start >= to || (start < from && end <= from && one.ended_at !== null)) continue
    of(keyOf(one, Math.max(start, from))).jobs += 1
    const mine = rates
      .filter(({ cluster_id, size }) => cluster_id === one.cluster_id && size === one.size)
      .toSorted((a, b) => a.from_at.getTime() - b.from_at.getTime())
    const last = Math.min(end, to)
    for (let at = Math.max(start, from); at < last;) {
      const midnight = (Math.floor(at / DAY) + 1) * DAY
      const change = mine.find(({ from_at }) => from_at.getTime() > at)?.from_at.getTime() ?? Infinity
      const until = Math.min(last, midnight, change)
      const rate = mine.findLast(({ from_at }) => from_at.getTime() <= at)
      const hours = (until - at) / HOUR
      const sums = of(keyOf(one, at))
      sums.core += hours * one.cores
      sums.gpu += hours * one.gpus
      sums.node += hours * one.nodes
      const corePrice = rate?.per_core_hour ?? null
      const gpuPrice = one.gpus === 0 ? 0 : (rate?.per_gpu_hour ?? null)
      if (corePrice === null || gpuPrice === null) sums.unpriced += hours * one.cores
      else {
        sums.price += hours * (one.cores * corePrice + one.gpus * gpuPrice)
        sums.priced = true
      }
      at = until
    }
  }
  return found
}
