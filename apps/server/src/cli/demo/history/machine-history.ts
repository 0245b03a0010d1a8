import type { Transaction } from '../../../db/database'
import * as usage from '../../../modules/usage/store'
import { busySpans, type PastJob } from './history'
import type { Random } from '../random'
import type * as store from '../store'
import type { Period, Subject } from './subject'
import { DAY_MS, MINUTE_MS } from '../time'

/** How long a burst node stays after its jobs. */
const ELASTIC_MS = 6 * MINUTE_MS
/** How long the product keeps loads. */
const LOADS_MS = 7 * DAY_MS
/** Often enough for a line without gaps. */
const LOAD_EVERY_MS = 2 * MINUTE_MS

type Row = Parameters<typeof store.insertMachines>[1][number]
type State = usage.Machine['state']

/** Nodes are busy while jobs run on them, and idle or gone otherwise. Disks cost money all the time. */
export function machineRows({ id, nodes, items, about }: Subject, past: PastJob[], period: Period): Row[] {
  const rows: Row[] = []
  const addAt = (item: usage.Machine, state: State, from: number, to: number, factor: number): void => {
    if (to <= from) return
    const { kind, name } = item
    const per_hour = item.per_hour === null ? null : item.per_hour * factor
    rows.push({ cluster_id: id, kind, name, state, per_hour, from_at: new Date(from), to_at: new Date(to) })
  }
  const add = (item: usage.Machine, state: State, from: number, to: number): void => {
    const { changedAt, factor } = period.price ?? { changedAt: period.from, factor: 1 }
    addAt(item, state, from, Math.min(to, changedAt), factor)
    addAt(item, state, Math.max(from, changedAt), to, 1)
  }
  const isStopped = about.end?.state === 'stopped'
  const offAt = isStopped ? period.jobsTo : period.to
  const nodeNames = new Set(nodes.map(({ name }) => name))
  for (const item of items) {
    if (item.kind !== 'machine') {
      add(item, 'idle', period.from, offAt)
      add(item, 'stopped', offAt, period.to)
      continue
    }
    const isElastic = about.elastic && nodeNames.has(item.name)
    let at = period.from
    for (const { from, to } of busySpans(past, item.name)) {
      if (!isElastic) add(item, 'idle', at, from)
      add(item, 'busy', from, to)
      if (isElastic) add(item, 'idle', to, Math.min(to + ELASTIC_MS, offAt))
      at = to
    }
    if (!isElastic) add(item, 'idle', at, offAt)
  }
  return rows
}

/** Saves the earlier price of a core, and the current one of the catalog from the time of the change. */
export async function saveRates(
  tx: Transaction,
  { id, rates }: Subject,
  { from, price }: Period,
): Promise<void> {
  const begin = new Date(from - DAY_MS)
  for (const rate of rates) {
    const factor = price?.factor ?? 1
    const earlier = (value: number | null) => (value === null ? null : value * factor)
    const per_core_hour = earlier(rate.per_core_hour)
    const per_gpu_hour = earlier(rate.per_gpu_hour)
    await usage.addRate(tx, { ...rate, cluster_id: id, from_at: begin, per_core_hour, per_gpu_hour })
    if (price) await usage.addRate(tx, { ...rate, cluster_id: id, from_at: new Date(price.changedAt) })
  }
}

/** The load that the past jobs would have caused on their cores. */
export function loadRows({ id, nodes }: Subject, past: PastJob[], period: Period, random: Random) {
  const rows: Parameters<typeof store.insertLoads>[1] = []
  const cpus = nodes.reduce((all, { cores }) => all + cores, 0)
  const recent = past.filter(({ endedAt }) => endedAt > period.to - LOADS_MS)
  for (let time = period.to - LOADS_MS; time < period.jobsTo; time += LOAD_EVERY_MS) {
    const used = recent
      .filter(({ startedAt, endedAt }) => startedAt <= time && endedAt > time)
      .reduce((all, { workload: { data } }) => all + data.cores * data.nodes, 0)
    const load_avg = Math.max(0, used * random.between(0.82, 1.04) + random.between(0, 0.02 * cpus))
    rows.push({ cluster_id: id, time: new Date(time), cpus, load_avg })
  }
  return rows
}
