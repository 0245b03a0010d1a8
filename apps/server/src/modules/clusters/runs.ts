import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { ClusterState } from '@flotilla/contract/clusters'
import type { Database, Transaction } from '../../db/database'
import { clusterRoom, publish, roleRoom } from '../../live/live'
import { defineTask, handle, type Handler } from '../../queue/task'
import { record } from '../activities/activities'
import { explain, isOurDatabase } from './ask'
import type { Poller } from './poller'
import type { RunAction, Steps } from './steps'
import * as store from './store'

export const runTask = defineTask('cluster-run', z.object({ run: z.string() }))

/** The state while an action is under way, and after it. */
export const transient: Record<RunAction, ClusterState> = {
  deploy: 'deploying',
  stop: 'stopping',
  start: 'starting',
  destroy: 'destroying',
  forceDestroy: 'destroying',
  update: 'updating',
  updateStopped: 'updating',
}
const after: Record<RunAction, ClusterState> = {
  deploy: 'available',
  stop: 'stopped',
  start: 'available',
  destroy: 'destroyed',
  forceDestroy: 'destroyed',
  update: 'available',
  updateStopped: 'stopped',
}
const logType: Record<RunAction, string> = {
  deploy: 'deploy',
  stop: 'stop',
  start: 'start',
  destroy: 'destroy',
  forceDestroy: 'destroy',
  update: 'deploy',
  updateStopped: 'deploy',
}

/** How long an action may take, and after which time nobody is taken to be at it any more. */
const RUN_MS = 10 * 60_000
const OVERDUE_MS = 20 * 60_000

type Options = {
  db: Database
  steps: Steps
  poller: Pick<Poller, 'kick' | 'watch' | 'unwatch'>
  now: () => number
}

/** Somebody forced the cluster away, or its time was over. */
class GivenUp extends Error {}

/** Carries out the actions on clusters. Every step may be done twice: a run that a crash cut off begins anew. */
export function makeRuns({ db, steps, poller, now }: Options) {
  const tell = (tx: Transaction, clusterId: string) =>
    publish(tx, [clusterRoom(clusterId), roleRoom('admin')], {
      event: 'change',
      data: { changed: 'clusters' },
    })

  /** The end of a run, whoever comes to say it first. */
  const end = (
    run: { id: string; action: string; cluster_id: string; actor_id: string | null; actor: string | null },
    cluster: { name: string },
    cause: string | null,
  ): Promise<boolean> =>
    db.transaction(async (tx) => {
      const at = new Date(now())
      if (!(await store.endRun(tx, run.id, at, cause))) return false
      // The column holds what `begin` wrote.
      const state = cause === null ? after[run.action as RunAction] : 'failed'
      await store.update(tx, run.cluster_id, { state, state_since: at, cause })
      const actor = run.actor_id && run.actor ? { id: run.actor_id, username: run.actor } : null
      await record(tx, actor, null, {
        action: `${run.action} ${cause === null ? 'done' : 'failed'}`,
        subject: `cluster ${cluster.name}`,
        detail: cause ?? `now ${state}`,
        clusterId: run.cluster_id,
      })
      await tell(tx, run.cluster_id)
      return true
    })

  const handler: Handler = handle(runTask, async ({ run: runId }, { attempt, signal }) => {
    const run = await store.runUnderWay(db.kysely, runId)
    if (!run) return
    const cluster = await store.findAny(db.kysely, run.cluster_id)
    if (!cluster) return
    const action = run.action as RunAction
    const log = async (text: string): Promise<void> => {
      if (!(await store.runUnderWay(db.kysely, runId))) throw new GivenUp('This was given up')
      await db.transaction(async (tx) => {
        await store.addLog(tx, cluster.id, logType[action], new Date(now()), text)
        await tell(tx, cluster.id)
      })
    }
    poller.unwatch(cluster.id)
    if (attempt > 1) await log('The console was stopped in the middle of this: it begins anew')
    let cause: string | null = null
    const over = new AbortController()
    try {
      await Promise.race([
        steps[action](cluster, log),
        sleep(RUN_MS, undefined, { signal: over.signal }).then(() => {
          throw new Error(`It took longer than ${RUN_MS / 60_000} minutes`)
        }),
        // The queue does it again after the next start.
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new GivenUp('The console stops')), { once: true }),
        ),
      ])
    } catch (error) {
      // Ours and not the cluster's: the queue does it again.
      if (signal.aborted || isOurDatabase(error)) throw error
      if (error instanceof GivenUp) return
      cause = explain(error)
      await log(`Failed: ${cause}`).catch(() => {})
    } finally {
      over.abort()
    }
    if (!(await end(run, cluster, cause))) return
    if (cause === null && (after[action] === 'available' || after[action] === 'stopped'))
      poller.watch(cluster.id)
  })

  return {
    handler,
    /** Runs that nobody carries out any more must not keep a cluster from being used. */
    async sweep(): Promise<void> {
      for (const run of await store.overdueRuns(db.kysely, new Date(now() - OVERDUE_MS))) {
        const cluster = await store.findAny(db.kysely, run.cluster_id)
        const cause = `It was not done within ${OVERDUE_MS / 60_000} minutes: try again, or force it`
        if (cluster) await end(run, cluster, cause)
      }
    },
  }
}
