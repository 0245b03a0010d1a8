import { countText } from '@flotilla/contract/count-text'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { ClusterState } from '@flotilla/contract/clusters-states'
import type { Database } from '../../db/database'
import { defineTask, handle, type Handler } from '../../queue/task'
import { record } from '../activities/activities'
import { explain, isOurDatabase } from './ask'
import type { Poller } from './poller'
import { isRunAction, runActions, stateAfter, stateAfterFailure, type RunAction } from './run-actions'
import { makeLines } from '../../log-lines'
import * as store from './store'
import { tellClustersChanged } from './tell'

export const runTask = defineTask('cluster-run', z.object({ run: z.string() }))

/** What an action knows about its run. */
export type RunContext = {
  /** What it was told to do. */
  input: unknown
  /** A line of its log, written soon. */
  say(text: string): void
  /** A line of its log, written; fails when the run was given up meanwhile. */
  log(text: string): Promise<void>
  /** How far the engine's events were read. */
  heard(position: number): void
  /** Somebody wants it to end, or its time is over. */
  cancel: AbortSignal
  /** This server goes down: what can go on without it does. */
  leave: AbortSignal
}
export type Step = (cluster: store.FoundCluster, run: RunContext) => Promise<void>
type StepsFor = (cluster: store.FoundCluster) => {
  steps: Partial<Record<RunAction, Step>>
  /** How long an action may take. */
  limitMs: number
}

/** After so long nobody is taken to be at a run any more. */
const OVERDUE_MS = 3 * 60 * 60_000
const LOOK_FOR_CANCEL_MS = 1000
/** An action that was told to end gets so long for it. */
const ENDING_MS = 5 * 60_000

type Options = {
  db: Database
  stepsFor: StepsFor
  poller: Pick<Poller, 'kick' | 'watch' | 'unwatch'>
  now: () => number
}

/** Somebody forced the cluster away, or its time was over. */
class GivenUp extends Error {}

/** Carries out the actions on clusters. Every step may be done twice: a run that a crash cut off begins anew. */
export function makeRuns({ db, stepsFor, poller, now }: Options) {
  /** The end of a run, whoever comes to say it first. Answers the state it led to. */
  const end = (run: store.Run, name: string, cause: string | null): Promise<ClusterState | null> =>
    db.transaction(async (tx) => {
      const at = new Date(now())
      if (!isRunAction(run.action) || !(await store.endRun(tx, run.id, at, cause))) return null
      const before = run.from_state ?? 'failed'
      const state = cause === null ? stateAfter(run.action, before) : stateAfterFailure(run.action, before)
      await store.update(tx, run.cluster_id, { state, state_since: at, cause })
      const actor = run.actor_id && run.actor ? { id: run.actor_id, username: run.actor } : null
      await record(tx, actor, null, {
        action: `${run.action} ${cause === null ? 'done' : 'failed'}`,
        subject: `cluster ${name}`,
        detail: cause ?? `now ${state}`,
        clusterId: run.cluster_id,
      })
      await tellClustersChanged(tx, run.cluster_id)
      return state
    })

  /** Sets off when somebody asks through any server, or when it takes too long. */
  const watchCancel = async (runId: string, limitMs: number, over: AbortSignal, cancel: AbortController) => {
    const until = now() + limitMs
    while (!over.aborted && !cancel.signal.aborted) {
      if (now() > until)
        cancel.abort(new Error(`It took longer than ${countText(Math.round(limitMs / 60_000), 'minute')}`))
      const run = await store.runUnderWay(db.kysely, runId).catch(() => null)
      if (run === undefined) cancel.abort(new GivenUp('This was given up'))
      else if (run?.cancel_asked) cancel.abort(new Error('It was canceled'))
      await sleep(LOOK_FOR_CANCEL_MS, undefined, { signal: over }).catch(() => {})
    }
  }

  const handler: Handler = {
    ...handle(runTask, async ({ run: runId }, { attempt, signal }) => {
      const run = await store.runUnderWay(db.kysely, runId)
      if (!run || !isRunAction(run.action)) return
      const cluster = await store.findAny(db.kysely, run.cluster_id)
      if (!cluster) return
      const { steps, limitMs } = stepsFor(cluster)
      const step = steps[run.action]
      const type = runActions[run.action].log

      let position = 0
      const write = (texts: string[]) =>
        db.transaction(async (tx) => {
          const at = new Date(now())
          await store.addLogs(tx, cluster.id, type, at, texts)
          if (position > 0) await store.update(tx, cluster.id, { engine_position: position })
          await tellClustersChanged(tx, cluster.id)
        })
      const lines = makeLines(write)
      const over = new AbortController()
      const cancel = new AbortController()
      const context: RunContext = {
        input: run.input,
        say: lines.add,
        async log(text) {
          if (!(await store.runUnderWay(db.kysely, runId))) throw new GivenUp('This was given up')
          await lines.flush()
          await write([text])
        },
        heard: (at) => void (position = at),
        cancel: cancel.signal,
        leave: signal,
      }
      poller.unwatch(cluster.id)
      if (attempt > 1) await context.log('The console was stopped in the middle of this: it goes on')
      void watchCancel(runId, limitMs, over.signal, cancel)
      /** Who was told to end does so in order, but is not waited for for ever. */
      const ended = (told: AbortSignal, waitMs: number) =>
        new Promise<never>((_resolve, reject) => {
          const give = () =>
            reject(told.reason instanceof Error ? told.reason : new GivenUp('It was given up'))
          const later = () => setTimeout(give, waitMs).unref()
          told.addEventListener('abort', later, { once: true })
        })
      let cause: string | null = null
      try {
        if (!step) throw new Error('This cluster cannot do that')
        await Promise.race([
          step(cluster, context),
          ended(cancel.signal, limitMs > ENDING_MS * 3 ? ENDING_MS : 0),
          ended(signal, 0),
        ])
        await lines.flush()
      } catch (error) {
        // Ours and not the cluster's: the queue does it again.
        if (signal.aborted || isOurDatabase(error)) throw error
        const reason: unknown = cancel.signal.aborted ? cancel.signal.reason : error
        if (reason instanceof GivenUp || error instanceof GivenUp) return
        cause = explain(reason)
        lines.add(`Failed: ${cause}`)
        await lines.flush().catch(() => {})
      } finally {
        over.abort()
      }
      const state = await end(run, cluster.name, cause)
      // A cluster in a cloud that is stopped has no machine that could answer.
      if (state === 'available' || (state === 'stopped' && cluster.provider === 'local'))
        poller.watch(cluster.id)
    }),
    long: true,
  }

  return {
    handler,
    /** Runs that nobody carries out any more must not keep a cluster from being used. */
    async sweep(): Promise<void> {
      for (const run of await store.overdueRuns(db.kysely, new Date(now() - OVERDUE_MS))) {
        const cluster = await store.findAny(db.kysely, run.cluster_id)
        const cause = `It was not done within ${OVERDUE_MS / 3_600_000} hours: try again, or force it`
        if (cluster) await end(run, cluster.name, cause)
      }
    },
  }
}
