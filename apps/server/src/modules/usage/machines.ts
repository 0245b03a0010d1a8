import type { Transaction } from '../../db/database'
import type { Costs } from '../clusters/open'
import * as store from './store'

const keyOf = ({ kind, name }: Pick<store.Machine, 'kind' | 'name'>) => `${kind} ${name}`

type Seen = {
  clusterId: string
  costs: Costs
  at: Date
  /** The end time of machines and disks that no longer exist. */
  goneAt: Date
  /** Whether the resource manager was not queried: what was busy then stays busy. */
  keepStates?: boolean
}

/** Ends entries that changed or no longer exist, and begins new ones. */
export async function saveMachines(tx: Transaction, { clusterId, costs, at, goneAt, keepStates }: Seen) {
  const before = new Map((await store.machinesNow(tx, clusterId)).map((row) => [keyOf(row), row]))
  const ended: Parameters<typeof store.endMachines>[2] = []
  const begun: Parameters<typeof store.beginMachines>[2] = []
  for (const { kind, name, state: seen, perHour: per_hour } of costs.items) {
    const was = before.get(keyOf({ kind, name }))
    before.delete(keyOf({ kind, name }))
    const state = keepStates && was && seen !== 'stopped' && was.state !== 'stopped' ? was.state : seen
    if (was?.state === state && was.per_hour === per_hour) continue
    const since = was?.state === state ? priceChangedAt(costs, was.from_at, at) : at
    if (was) ended.push({ kind, name, at: since })
    begun.push({ kind, name, state, per_hour, at: since })
  }
  for (const { kind, name } of before.values()) ended.push({ kind, name, at: goneAt })
  await store.endMachines(tx, clusterId, ended)
  await store.beginMachines(tx, clusterId, begun)
}

/** A price applies from the time it was set, not from the time it was noticed. */
function priceChangedAt({ pricedSince }: Costs, after: Date, now: Date): Date {
  if (pricedSince === null || pricedSince <= after.getTime() || pricedSince > now.getTime()) return now
  return new Date(pricedSince)
}

/** Saves the prices of jobs from now on, or from the time at which they were set. */
export async function saveRates(tx: Transaction, clusterId: string, costs: Costs, at: Date): Promise<void> {
  const before = new Map((await store.lastRates(tx, clusterId)).map((row) => [row.size, row]))
  for (const { size, perCoreHour: per_core_hour, perGpuHour: per_gpu_hour } of costs.rates) {
    const was = before.get(size) ?? { per_core_hour: null, per_gpu_hour: null, from_at: new Date(0) }
    if (was.per_core_hour === per_core_hour && was.per_gpu_hour === per_gpu_hour) continue
    const from_at = priceChangedAt(costs, was.from_at, at)
    await store.addRate(tx, { cluster_id: clusterId, size, from_at, per_core_hour, per_gpu_hour })
  }
}
