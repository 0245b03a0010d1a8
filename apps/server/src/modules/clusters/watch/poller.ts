import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { clusterMay } from '@flotilla/contract/clusters/states'
import { isDatabaseDown, type Database } from '../../../db/database'
import { explain } from '../../../explain'
import type { NodeInfo, QueuedJob } from '../../../schedulers/scheduler'
import type { Snapshots } from '../../snapshots/snapshots'
import { ask } from '../connection/query'
import { withNotStarted } from '../cloud/machines/possible'
import type { Connections } from '../connection/connections'
import type { Reach } from '../connection/connection'
import * as store from '../store'

/** Fast while something moves, slow when nothing has for a while, slower and slower on errors. */
const FAST_MS = 500
const IDLE_MS = 5000
/** However often it is asked to look. */
const KICKED_MS = 400
const STAYS_FAST_MS = 20_000
const ERROR_MS = { first: 1000, most: 30_000 }
/** Nodes change less often than the queue; a job that begins or ends asks for them too, and any other change now and then. */
const NODES_EVERY_MS = 5000
const NODES_MOVED_MS = 1000
/** After something was done to a cluster, it may take a moment to show it. */
const NODES_OFTEN_MS = 3000
/** How soon a cluster is watched that was attached through another server. */
const LOOK_AROUND_MS = 2000

type Options = {
  db: Database
  connections: Connections
  snapshots: Snapshots
  /** What the queue means for submissions of ours: their job ids, by mark. */
  onQueue(clusterId: string, jobs: QueuedJob[]): Promise<Map<string, string>>
  /** Something is to be done about what was seen: nodes come and go by it. */
  onLook(seen: {
    cluster: store.FoundCluster
    reach: Reach
    jobs: QueuedJob[]
    nodes: NodeInfo[]
  }): Promise<void>
  /** Done every few seconds by the server that leads. */
  onRound(): Promise<void>
  log: Logger
  now: () => number
}
type Loop = {
  stop: AbortController
  wake: AbortController
  fastUntil: number
  /** When its nodes were asked for last, and until when they are each time. */
  nodesAt: number
  nodesOftenUntil: number
  /** The jobs that were running at the last look. */
  running: string
  /** The way there that it listens to. */
  reach: Reach | undefined
  /** What the log of the connection said last: null when all was well. */
  said: string | null
}

const runningOf = (jobs: QueuedJob[]): string =>
  jobs
    .filter(({ state }) => state === 'running')
    .map(({ id }) => id)
    .join()

export type Poller = ReturnType<typeof makePoller>
/** One loop for each cluster, however many people look at it and however many servers there are. */
export function makePoller({ db, connections, snapshots, onQueue, onLook, onRound, log, now }: Options) {
  const loops = new Map<string, Loop>()
  let leading: AbortController | undefined
  /** When the server that leads was told last of a job that arrived, by cluster. */
  const expected = new Map<string, number>()

  /** Answers whether something moved or may move soon. */
  const poll = async (clusterId: string, loop: Loop): Promise<boolean> => {
    const cluster = await store.findPolled(db, clusterId)
    if (!cluster || !clusterMay('operate', cluster.state)) return false
    const reach = await connections.admin(cluster)
    if (loop.reach !== reach) {
      loop.reach = reach
      // A connection that is back is used at once, however long we would have waited.
      reach.transport.onStateChange(({ healthy }) => healthy && loop.wake.abort())
    }
    const jobs = await ask(reach, reach.scheduler.queue())
    if (loop.stop.signal.aborted) return false
    const jobIds = await onQueue(clusterId, jobs)
    const askNodes = async () => {
      loop.nodesAt = now()
      return withNotStarted(cluster, await ask(reach, reach.scheduler.nodes()))
    }
    const wantNodes = now() < loop.nodesOftenUntil || now() - loop.nodesAt > NODES_EVERY_MS
    const seen = { jobs, jobIds, onlyInUse: true }
    let nodes = wantNodes ? await askNodes() : null
    const moved = await snapshots.save(clusterId, { ...seen, nodes })
    const running = runningOf(jobs)
    const nodesMoved = running !== loop.running || (moved && now() - loop.nodesAt > NODES_MOVED_MS)
    loop.running = running
    if (nodesMoved && !nodes) {
      nodes = await askNodes()
      await snapshots.save(clusterId, { ...seen, nodes })
    }
    if (nodes && !loop.stop.signal.aborted) await onLook({ cluster, reach, jobs, nodes })
    return moved || jobs.some((job) => job.state === 'running' || job.state === 'queued')
  }

  /** The log of the connection tells when it broke, why, and when it was back; not every attempt in between. */
  const say = async (clusterId: string, loop: Loop, message: string | null): Promise<void> => {
    if (loop.said === message) return
    loop.said = message
    const [text, level] = [message ?? 'The cluster answers again', message ? 'error' : 'info'] as const
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
        await say(clusterId, loop, null)
        // A resource manager that needs long to answer is not asked all the time.
        wait = Math.max(now() < loop.fastUntil ? FAST_MS : IDLE_MS, (now() - began) * 2)
      } catch (error) {
        if (loop.stop.signal.aborted) return
        const message = explain(error)
        log.warn({ cluster: clusterId, reason: message }, 'a cluster could not be polled')
        // When it is the database that is away, nothing is wrong with the cluster.
        if (!isDatabaseDown(error)) {
          await snapshots.saveError(clusterId, message).catch(() => {})
          await say(clusterId, loop, message).catch(() => {})
        }
        loop.nodesAt = 0
        wait = errorWait
        errorWait = Math.min(errorWait * 2, ERROR_MS.most)
      }
      const signal = AbortSignal.any([loop.stop.signal, loop.wake.signal])
      await sleep(wait, undefined, { signal }).catch(() => {})
      // A hundred submissions at once ask a hundred times to look: now and then tells as much and leaves them the machine.
      const early = began + KICKED_MS - now()
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
      running: '',
      reach: undefined,
      said: null,
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

  /** Watches every cluster that is in use, and no other. */
  const lookAround = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const inUse = await store.idsInUse(db.kysely).catch(() => null)
      if (signal.aborted) return
      for (const id of inUse ?? []) watch(id)
      for (const id of loops.keys()) if (inUse && !inUse.includes(id)) unwatch(id)
      await onRound().catch((error: unknown) => log.warn({ reason: String(error) }, 'a round was left out'))
      await sleep(LOOK_AROUND_MS, undefined, { signal }).catch(() => {})
    }
  }

  return {
    /** Nothing is done on a server that does not lead: the one that does finds it by itself. */
    watch,
    unwatch,
    /** Something was just done to this cluster: look at once, and often for a while. */
    kick(clusterId: string): void {
      const loop = loops.get(clusterId)
      if (loop) {
        loop.fastUntil = now() + STAYS_FAST_MS
        loop.nodesOftenUntil = now() + NODES_OFTEN_MS
        loop.wake.abort()
      } else if (!leading) void store.tellLeader(db.kysely, clusterId).catch(() => {})
    },
    /**
     * A job has arrived there. While the cluster is looked at often, the next look shows it: a hundred submissions ask
     * for no more looks than one, and leave them the machine.
     */
    expect(clusterId: string): void {
      const loop = loops.get(clusterId)
      const isSoon = loop ? now() < loop.fastUntil : now() - (expected.get(clusterId) ?? 0) < KICKED_MS
      if (loop && isSoon) loop.fastUntil = now() + STAYS_FAST_MS
      if (isSoon) return
      expected.set(clusterId, now())
      this.kick(clusterId)
    },
    /** From now on the clusters are this server's to watch. */
    start(): void {
      if (leading) return
      leading = new AbortController()
      void lookAround(leading.signal)
    },
    stop(): void {
      leading?.abort()
      leading = undefined
      for (const id of loops.keys()) unwatch(id)
    },
  }
}
