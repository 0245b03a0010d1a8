import { isInCloud } from '@flotilla/contract/clusters/entity'
import type { Database } from '../../db/database'
import { explain } from '../../explain'
import { SchedulerError } from '../../schedulers/error'
import type { UsageRead } from '../../schedulers/scheduler'
import type { ClusterAccess, Costs, Polled } from '../clusters/open'
import { observedJobs, isPlausible } from './observed-jobs'
import * as store from './store'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** How far back to read the records of a cluster that existed before it was added. */
const BACKFILL_MS = 30 * DAY_MS
/** Records are written with a delay, so the last hour is read again. Saving a record twice changes nothing. */
const OVERLAP_MS = 60 * MINUTE_MS
/** The shortest period to query, even if it has too many records. */
const LEAST_MS = MINUTE_MS
const QUERY_MS = 60_000
const UNREADABLE = 'A record from this period could not be read. A job name may contain line breaks.'

type Options = { db: Database; access: Pick<ClusterAccess, 'query' | 'isBuiltin'>; now: () => number }

/**
 * Reads the resource manager's new records, at most a day at a time. Each day commits together with the progress, so
 * that a server that crashes continues from there. Returns whether the cluster keeps records.
 */
export function makeHarvest({ db, access, now }: Options) {
  const read = async ({ connection }: Polled, from: number, to: number) => {
    try {
      for (const query of connection.scheduler.usage(from, to)) {
        const found = await access.query(connection, query, QUERY_MS)
        if (found) return found
      }
      return null
    } catch (error) {
      if (error instanceof SchedulerError && error.code === 'too_much' && to - from > LEAST_MS)
        return 'too much' as const
      throw error
    }
  }
  const save = (polled: Polled, costs: Costs, found: UsageRead, from: number, to: number) =>
    db.transaction(async (tx) => {
      const { id } = polled.cluster
      const plausible = found.records.filter((record) => isPlausible(record, now()))
      await store.saveJobs(tx, id, observedJobs(plausible, costs, { recorded: true }))
      await store.noteHarvest(tx, id, new Date(Math.max(from, found.since ?? from)), new Date(to))
      for (const gap of found.gaps ?? [])
        await store.addGap(tx, id, new Date(gap.from), new Date(gap.to), UNREADABLE)
    })

  /**
   * The console creates cloud machines and the built-in executor after the cluster, so they have no earlier records.
   */
  const firstRecord = ({ cluster }: Polled): number =>
    cluster.created_at.getTime() - (!isInCloud(cluster) && !access.isBuiltin(cluster) ? BACKFILL_MS : 0)

  return async function harvest(polled: Polled, costs: Costs): Promise<boolean> {
    const { id } = polled.cluster
    const feed = await store.feed(db.kysely, id)
    const until = now()
    let from = (feed?.harvested_to?.getTime() ?? firstRecord(polled)) - OVERLAP_MS
    let width = DAY_MS
    try {
      while (from < until) {
        const to = Math.min(from + width, until)
        const found = await read(polled, from, to)
        if (found === null) {
          await store.noteNoRecords(db.kysely, id)
          return false
        }
        if (found === 'too much') {
          width = Math.max(LEAST_MS, Math.floor(width / 4))
          continue
        }
        await save(polled, costs, found, from, to)
        from = to
      }
      return true
    } catch (error) {
      await store.noteHarvestFailed(db.kysely, id, explain(error))
      throw error
    }
  }
}
