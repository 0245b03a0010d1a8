import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isClusterActionAllowed } from '@flotilla/contract/clusters/states'
import { isDatabaseDown } from '../../../db/connection/down'
import type { Database } from '../../../db/database'
import { explain } from '../../../explain'
import { placed, withNodeStates } from '../../../schedulers/placement'
import type { NodeInfo, QueuedJob } from '../../../schedulers/scheduler'
import type { Snapshots } from '../../snapshots/snapshots'
import { query } from '../commands/query'
import { notifyClustersChanged } from '../notify'
import { markNotStarted } from './not-started'
import type { QueueLinks } from './observers'
import type { Connections } from '../connection/connections'
import type { ClusterConnection } from '../commands/connection'
import * as store from '../store'
import type { Polled } from './observers'
import { makeQueueReader } from './read-queue'
import { peopleWithJobs } from './store'

/** Polling is fast while something changes, slow when nothing has for a while, and backs off on errors. */
const FAST_MS = 500
const IDLE_MS = 5000
/** The minimum interval, however many polls are requested. */
const MIN_INTERVAL_MS = 400
const STAYS_FAST_MS = 20_000
const ERROR_MS = { first: 1000, most: 30_000 }
/** Nodes change less often than the queue. They are also queried when a job starts or ends, and now and then. */
const NODES_EVERY_MS = 5000
const NODES_MOVED_MS = 1000
/** A cluster may take a moment to show the effect of an operation. */
const NODES_OFTEN_MS = 3000
/** How long after their last activity people's accounts are queried for jobs, where no one else sees these. */
const SHOWN_FOR_MS = 24 * 60 * 60_000
/** How soon a cluster that was attached through another server is watched. */
const DISCOVER_MS = 2000

type Options = {
  db: Database
  connections: Connections
  snapshots: Snapshots
  /** A person's own private key. */
  keyOf(userId: string, username: string): Promise<string>
  /** Matches the queue to our submissions. */
  onQueue(clusterId: string, jobs: QueuedJob[]): Promise<QueueLinks>
  /** Acts on what was seen, for example by bringing nodes up or removing them. */
  onPolled(seen: Polled): Promise<void>
  /** Called every few seconds on the leader. */
  onRound(): Promise<void>
  log: Logger
  now: () => number
}
type Loop = {
  stop: AbortController
  wake: AbortController
  fastUntil: number
  /** When its nodes were last queried, and until when they are queried with every poll. */
  nodesAt: number
  nodesOftenUntil: number
  /** The nodes as they were then. */
  nodes: NodeInfo[]
  /** The jobs that were running at the last poll. */
  running: string
  /** The connection whose state it listens to. */
  connection: ClusterConnection | undefined
  /** The last message in the connection log: null when all was well. */
  lastLogged: string | null
}

const runningOf = (jobs: QueuedJob[]): string =>
  jobs
    .filter(({ state }) => state === 'running')
    .map(({ id }) => id)
    .join()

export type Poller = ReturnType<typeof makePoller>
/** One loop per cluster, however many people view it and however many servers there are. */
export function makePoller(options: Options) {
  const { db, connections, snapshots, keyOf, onQueue, onPolled, onRound, log, now } = options
  const readQueue = makeQueueReader({
    people: (clusterId) =>
      peopleWithJobs(db.kysely, clusterId, new Date(now() - SHOWN_FOR_MS), new Date(now())),
    asPerson: (cluster, person) =>
      connections.person(cluster, person, () => keyOf(person.id, person.username)),
    now,
  })
  const loops = new Map<string, Loop>()
  let leading: AbortController | undefined
  /** When the leader was last notified of a new job, by cluster. */
  const expected = new Map<string, number>()

  const saveHidden = (clusterId: string, hidden: string | null): Promise<void> =>
    db.transaction(async (tx) => {
      await store.update(tx, clusterId, { hidden_jobs: hidden })
      const [text, level] = [
        hidden ?? 'All users’ jobs are visible again',
        hidden ? 'warning' : 'info',
      ] as const
      await store.addLine(tx, clusterId, 'connection', new Date(now()), text, level)
      await notifyClustersChanged(tx, clusterId)
    })

  /** Returns whether something changed or may change soon. */
  const poll = async (clusterId: string, loop: Loop): Promise<boolean> => {
    const cluster = await store.findPolled(db, clusterId)
    if (!cluster || !isClusterActionAllowed('operate', cluster.state)) return false
    const connection = await connections.admin(cluster)
    if (loop.connection !== connection) {
      loop.connection = connection
      // Use a restored connection immediately instead of waiting out the interval.
      connection.transport.onStateChange(({ healthy }) => healthy && loop.wake.abort())
    }
    const { jobs: inQueue, hidden } = await readQueue(cluster, connection)
    if (loop.stop.signal.aborted) return false
    if (hidden !== cluster.hidden_jobs) await saveHidden(clusterId, hidden)
    const queryNodes = async () => {
      loop.nodesAt = now()
      const found = markNotStarted(cluster, await query(connection, connection.scheduler.nodes()))
      return (loop.nodes = placed(found, inQueue))
    }
    const wantNodes = now() < loop.nodesOftenUntil || now() - loop.nodesAt > NODES_EVERY_MS
    let nodes = wantNodes ? await queryNodes() : null
    const jobs = withNodeStates(inQueue, loop.nodes)
    const links = await onQueue(clusterId, jobs)
    const seen = { jobs, links, onlyInUse: true }
    const moved = await snapshots.save(clusterId, { ...seen, nodes })
    const running = runningOf(jobs)
    const nodesMoved = running !== loop.running || (moved && now() - loop.nodesAt > NODES_MOVED_MS)
    loop.running = running
    if (nodesMoved && !nodes) {
      nodes = await queryNodes()
      await snapshots.save(clusterId, { ...seen, nodes })
    }
    if (nodes && !loop.stop.signal.aborted) await onPolled({ cluster, connection, jobs, nodes })
    return moved || jobs.some((job) => job.state === 'running' || job.state === 'queued')
  }

  /** Logs when the connection broke, why, and when it was restored, but not every attempt in between. */
  const logConnection = async (clusterId: string, loop: Loop, message: string | null): Promise<void> => {
    if (loop.lastLogged === message) return
    loop.lastLogged = message
    const [text, level] = [message ?? 'The cluster is responding again', message ? 'error' : 'info'] as const
    await store.addLine(db.kysely, clusterId, 'connection', new Date(now()), text, level)
  }

  const run = async (clusterId: string, loop: Loop): Promise<void> => {
    let errorWait = ERROR_MS.first
    while (!loop.stop.signal.aborted) {
      const began = now()
      let wait: number
      loop.wake = new AbortController()
      try {
        if (await poll(clusterId, loop)) loop.fastUntil = now() + STAYS_FAST_MS
        errorWait = ERROR_MS.first
        await logConnection(clusterId, loop, null)
        // Do not poll a slow resource manager continuously.
        wait = Math.max(now() < loop.fastUntil ? FAST_MS : IDLE_MS, (now() - began) * 2)
      } catch (error) {
        if (loop.stop.signal.aborted) return
        const message = explain(error)
        log.warn({ cluster: clusterId, reason: message }, 'a cluster could not be polled')
        // If the database is down, nothing is wrong with the cluster.
        if (!isDatabaseDown(error)) {
          await snapshots.saveError(clusterId, message).catch(() => {})
          await logConnection(clusterId, loop, message).catch(() => {})
        }
        loop.nodesAt = 0
        wait = errorWait
        errorWait = Math.min(errorWait * 2, ERROR_MS.most)
      }
      const signal = AbortSignal.any([loop.stop.signal, loop.wake.signal])
      await sleep(wait, undefined, { signal }).catch(() => {})
      // A hundred submissions at once request a hundred polls: a few show the same and leave the machine to the jobs.
      const early = began + MIN_INTERVAL_MS - now()
      if (early > 0) await sleep(early, undefined, { signal: loop.stop.signal }).catch(() => {})
    }
  }

  const watch = (clusterId: string): void => {
    if (!leading || loops.has(clusterId)) return
    const loop: Loop = {
      stop: new AbortController(),
      wake: new AbortController(),
      fastUntil: now() + STAYS_FAST_MS,
      nodesAt: 0,
      nodesOftenUntil: now() + NODES_OFTEN_MS,
      nodes: [],
      running: '',
      connection: undefined,
      lastLogged: null,
    }
    loops.set(clusterId, loop)
    snapshots.forget(clusterId)
    void run(clusterId, loop)
  }
  const unwatch = (clusterId: string): void => {
    loops.get(clusterId)?.stop.abort()
    loops.delete(clusterId)
    snapshots.forget(clusterId)
  }

  /** Watches every cluster in use, and no other. */
  const watchInUse = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const inUse = await store.idsInUse(db.kysely).catch(() => null)
      if (signal.aborted) return
      for (const id of inUse ?? []) watch(id)
      for (const id of loops.keys()) if (inUse && !inUse.includes(id)) unwatch(id)
      await onRound().catch((error: unknown) => log.warn({ reason: String(error) }, 'a polling round failed'))
      await sleep(DISCOVER_MS, undefined, { signal }).catch(() => {})
    }
  }

  const kick = (clusterId: string): void => {
    const loop = loops.get(clusterId)
    if (loop) {
      loop.fastUntil = now() + STAYS_FAST_MS
      loop.nodesOftenUntil = now() + NODES_OFTEN_MS
      loop.wake.abort()
    } else if (!leading) void store.notifyLeader(db.kysely, clusterId).catch(() => {})
  }

  return {
    /** Does nothing unless this server is the leader: the leader finds the cluster by itself. */
    watch,
    unwatch,
    /** Something was just done to this cluster: poll immediately, and often for a while. */
    kick,
    /**
     * A job was submitted. While the cluster is polled often, the next poll shows it: a hundred submissions need only one
     * poll, which leaves the machine to the jobs.
     */
    expect(clusterId: string): void {
      const loop = loops.get(clusterId)
      const isSoon = loop ? now() < loop.fastUntil : now() - (expected.get(clusterId) ?? 0) < MIN_INTERVAL_MS
      if (loop && isSoon) loop.fastUntil = now() + STAYS_FAST_MS
      if (isSoon) return
      expected.set(clusterId, now())
      kick(clusterId)
    },
    /** This server is now the leader and watches the clusters. */
    start(): void {
      if (leading) return
      leading = new AbortController()
      void watchInUse(leading.signal)
    },
    stop(): void {
      leading?.abort()
      leading = undefined
      for (const id of loops.keys()) unwatch(id)
    },
  }
}
