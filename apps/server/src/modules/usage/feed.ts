import { isInCloud } from '@flotilla/contract/clusters/entity'
import type { Logger } from 'pino'
import type { Database } from '../../db/database'
import { explain } from '../../explain'
import { usageOf } from '../../schedulers/scheduler'
import type { ClusterObserver, ClustersApi, Costs, Polled } from '../clusters/open'
import { makeHarvest } from './harvest'
import { observedJobs, isPlausible } from './observed-jobs'
import { saveMachines, saveRates } from './machines'
import * as store from './store'

const MINUTE_MS = 60_000
/**
 * Resource managers forget ended jobs after five minutes by default. If the server was down for longer, some may be
 * missing.
 */
export const GAP_MS = 4 * MINUTE_MS
/** The time of the last poll is saved at this interval, even if nothing changed. */
const SEEN_EVERY_MS = 30_000
const HARVEST_EVERY_MS = 5 * MINUTE_MS
/** A cluster without records may start to keep them. */
const NO_RECORDS_MS = 60 * MINUTE_MS
const UNPOLLED_EVERY_MS = 5000

type Options = {
  db: Database
  clusters: Pick<ClustersApi, 'access' | 'costsOf' | 'unpolled'>
  log: Logger
  now: () => number
}
type Cluster = Polled['cluster']
/** What this server keeps in memory about a cluster between two polls. */
type State = { saved: string; savedAt: number; harvestAt: number; harvesting: boolean }

const known = ({ id, name, provider, owner_id }: Cluster) => ({ cluster_id: id, name, provider, owner_id })

/** Saves what the poller sees and what the resource managers' own records contain. */
export function makeFeed({ db, clusters, log, now }: Options) {
  const harvest = makeHarvest({ db, access: clusters.access, now })
  const states = new Map<string, State>()
  const warn = (clusterId: string, what: string) => (error: unknown) =>
    log.warn({ cluster: clusterId, reason: explain(error) }, what)

  const savePolled = async ({ cluster, jobs }: Polled, costs: Costs): Promise<void> => {
    const at = new Date(now())
    const seen = jobs.flatMap((job) => usageOf(job) ?? [])
    const plausible = seen.filter((record) => isPlausible(record, now()))
    const records = observedJobs(plausible, costs, { recorded: false })
    await db.transaction(async (tx) => {
      const before = await store.lockFeed(tx, known(cluster), at)
      const lastSeen = before?.seen_at ?? at
      const wasAway = at.getTime() - lastSeen.getTime() > GAP_MS
      if (wasAway)
        await store.addGap(tx, cluster.id, lastSeen, at, 'The queue was not read during this period.')
      await store.saveJobs(tx, cluster.id, records)
      await store.endUnreportedJobs(tx, cluster.id, records, lastSeen)
      await saveRates(tx, cluster.id, costs, at)
      await saveMachines(tx, { clusterId: cluster.id, costs, at, goneAt: wasAway ? lastSeen : at })
    })
  }

  const startHarvest = (polled: Polled, costs: Costs, state: State): void => {
    if (state.harvesting || now() < state.harvestAt) return
    state.harvesting = true
    state.harvestAt = now() + HARVEST_EVERY_MS
    harvest(polled, costs)
      .then((keeps) => {
        if (!keeps) state.harvestAt = now() + NO_RECORDS_MS
      })
      .catch(warn(polled.cluster.id, 'the records of a cluster could not be read'))
      .finally(() => {
        state.harvesting = false
      })
  }

  /** The built-in executor starts a program for each query, so it is queried only if polls may have missed jobs. */
  const isHarvestDue = async ({ cluster }: Polled): Promise<boolean> => {
    if (!clusters.access.isBuiltin(cluster)) return true
    const seenAt =
      states.get(cluster.id)?.savedAt ?? (await store.feed(db.kysely, cluster.id))?.seen_at.getTime()
    return now() - (seenAt ?? cluster.created_at.getTime()) > GAP_MS
  }

  /**
   * Saves what changed, and from time to time also an unchanged state, because running jobs count until the cluster was
   * last seen.
   */
  const saveIfNew = async ({ id }: Cluster, saved: string, save: () => Promise<void>): Promise<State> => {
    const state = states.get(id) ?? { saved: '', savedAt: 0, harvestAt: 0, harvesting: false }
    if (state.saved === saved && now() - state.savedAt < SEEN_EVERY_MS) return state
    await save()
    Object.assign(state, { saved, savedAt: now() })
    states.set(id, state)
    return state
  }

  const onPolled = async (polled: Polled): Promise<void> => {
    const { cluster, jobs, nodes } = polled
    const costs = await clusters.costsOf(cluster, nodes)
    const isDue = await isHarvestDue(polled)
    const seen = jobs.map(({ id, state, startTime, endTime }) => [id, state, startTime, endTime])
    const saved = JSON.stringify([seen, costs.items, costs.rates])
    const state = await saveIfNew(cluster, saved, () => savePolled(polled, costs))
    if (isDue) startHarvest(polled, costs, state)
  }

  const saveUnpolled = async (cluster: Cluster, costs: Costs): Promise<void> => {
    const at = new Date(now())
    // Nothing runs without machines, so no usage is missed.
    const isOff = isInCloud(cluster) && !costs.items.some(({ kind }) => kind === 'machine')
    await db.transaction(async (tx) => {
      const lastSeen = (await store.feed(tx, cluster.id))?.seen_at ?? at
      await store.lockFeed(tx, known(cluster), isOff ? at : lastSeen)
      if (isOff) await store.endUnreportedJobs(tx, cluster.id, [], lastSeen)
      await saveRates(tx, cluster.id, costs, at)
      const goneAt = cluster.state_since < at ? cluster.state_since : at
      await saveMachines(tx, { clusterId: cluster.id, costs, at, goneAt, keepStates: true })
    })
  }
  let roundAt = 0
  /** Covers clusters that are stopped, changing or deleted. They are not polled, but their disks cost money. */
  const onRound = async (): Promise<void> => {
    if (now() - roundAt < UNPOLLED_EVERY_MS) return
    roundAt = now()
    for (const cluster of await clusters.unpolled(await store.clustersWithMachines(db.kysely))) {
      const costs = await clusters.costsOf(cluster, [])
      await saveIfNew(cluster, JSON.stringify([cluster.state, costs.items, costs.rates]), () =>
        saveUnpolled(cluster, costs),
      ).catch(warn(cluster.id, 'the usage of a cluster could not be saved'))
    }
    await store.endDeleted(db, new Date(now()))
  }

  return {
    onPolled: (polled) => onPolled(polled).catch(warn(polled.cluster.id, 'usage could not be saved')),
    onRound,
  } satisfies ClusterObserver
}
