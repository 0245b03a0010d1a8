import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { ImageRole, OpenMachine } from '@flotilla/contract/stacks-entity'
import { isDatabaseDown, type Database } from '../../db/database'
import { EngineError } from '../../engines/engine'
import { Failure } from '../../fail'
import { makeLines } from '../../log-lines'
import { defineTask, handle, type Handler } from '../../queue/task'
import type { Queue } from '../../queue/queue'
import { record } from '../activities/activities'
import * as store from './store'
import { peopleOf, tellStacksChanged } from './tell'
import { dataOf } from './view'

export const buildTask = defineTask('stack-build', z.object({ run: z.string() }))
export const LOG = 'build'

/** How long a build may take, and how long a machine stays open for people: it costs as long as it is there. */
const BUILD_MS = 3 * 60 * 60_000
const OPEN_MS = 24 * 60 * 60_000
const LOOK_FOR_CANCEL_MS = 1000
const canceled = new Error('It was canceled')

/** An image that a build has made. */
export type BuiltImage = { role: ImageRole; id: string; region: string }
export type BuildOutcome = { images: BuiltImage[] } | { open: OpenMachine[] }

/** What a build knows about its run. */
export type BuildContext = {
  say(text: string): void
  heard(position: number): void
  /** Where the engine's words were last read. */
  from: number
  cancel: AbortSignal
  leave: AbortSignal
}

type Options = {
  db: Database
  queue: Queue
  /** Does the work, or goes on with what has begun. It may be done twice. */
  build(stack: store.FoundStack, run: store.Run, context: BuildContext): Promise<BuildOutcome>
  /** What is left of a build that did not end well is looked for and removed. */
  sweep(stack: store.FoundStack, context: Pick<BuildContext, 'say' | 'leave'>): Promise<void>
  /** Nothing of a build is needed any more. */
  forget(stackId: string, runId: string): Promise<void>
  /** Whether the engine of an open build is still there. */
  stillOpen(stackId: string, runId: string): Promise<boolean>
  now: () => number
}

const explain = (error: unknown): string => {
  if (!(error instanceof EngineError)) return error instanceof Error ? error.message : String(error)
  const [detail] = error.details.filter((text) => !error.message.includes(text))
  return [error.message, detail && `Packer said: ${detail.slice(0, 500)}`, error.advice]
    .filter(Boolean)
    .join(' ')
}

/** Whether it is our own database that is away, and not a cloud, which is told as a refusal. */
const isOurDatabase = (error: unknown) =>
  !(error instanceof EngineError || error instanceof Failure) && isDatabaseDown(error)

/** Carries out the builds of stacks. Every step may be done twice: one that a crash cut off goes on. */
export function makeStackRuns({ db, queue, build, sweep, forget, stillOpen, now }: Options) {
  /** The end of a run, whoever comes to say it first. */
  const end = (run: store.Run, stack: store.FoundStack, cause: string | null, images: BuiltImage[]) =>
    db.transaction(async (tx) => {
      const at = new Date(now())
      if (!(await store.endRun(tx, run.id, at, cause))) return
      if (images.length > 0) {
        const { manager } = dataOf(stack)
        await store.setImages(
          tx,
          stack.id,
          images.map(({ id, ...image }) => ({ ...image, image_id: id, manager, built_at: at })),
        )
      }
      await store.update(tx, stack.id, {
        state: cause === null ? 'success' : 'failed',
        state_since: at,
        cause,
        open: null,
        ...(cause === null && { built_version: run.version }),
      })
      const actor = run.actor_id && run.actor ? { id: run.actor_id, username: run.actor } : null
      await record(tx, actor, null, {
        action: `build ${cause === null ? 'done' : 'failed'}`,
        subject: `stack ${stack.name}`,
        detail: cause ?? images.map(({ id }) => id).join(', '),
      })
      await tellStacksChanged(tx, peopleOf(stack))
    })

  /** The machines wait for people; nobody here waits with them. */
  const openFor = (run: store.Run, stack: store.FoundStack, machines: OpenMachine[]) =>
    db.transaction(async (tx) => {
      await store.lock(tx, stack.id)
      const underWay = await store.runUnderWay(tx, run.id)
      if (!underWay) return
      // Somebody cancelled it in the moment in which it opened.
      if (underWay.cancel_asked) {
        await queue.add(tx, buildTask, { run: run.id }, { queue: `stack ${stack.id}` })
        return
      }
      const at = now()
      await store.update(tx, stack.id, {
        state: 'customize',
        state_since: new Date(at),
        open: JSON.stringify({ machines, until: at + OPEN_MS }),
      })
      await tellStacksChanged(tx, peopleOf(stack))
    })

  const watchCancel = async (run: store.Run, over: AbortSignal, cancel: AbortController) => {
    const until = now() + BUILD_MS
    while (!over.aborted && !cancel.signal.aborted) {
      const found = await store.runUnderWay(db.kysely, run.id).catch(() => null)
      if (found?.cancel_asked) cancel.abort(canceled)
      else if (now() > until) cancel.abort(new Error(`It took longer than ${BUILD_MS / 3_600_000} hours`))
      await sleep(LOOK_FOR_CANCEL_MS, undefined, { signal: over }).catch(() => {})
    }
  }

  const handler: Handler = {
    ...handle(buildTask, async ({ run: runId }, { attempt, signal }) => {
      const run = await store.runUnderWay(db.kysely, runId)
      const stack = run && (await store.findAny(db.kysely, run.stack_id))
      if (!run || !stack) {
        // It had ended when the server was killed, before it could tidy up.
        const ended = await store.findRun(db.kysely, runId)
        if (ended) await forget(ended.stack_id, runId)
        return
      }
      let position = run.engine_position
      const lines = makeLines((texts) =>
        db.transaction(async (tx) => {
          await store.addLogs(tx, stack.id, LOG, new Date(now()), texts)
          await store.updateRun(tx, runId, { engine_position: position })
          await tellStacksChanged(tx, peopleOf(stack))
        }),
      )
      const over = new AbortController()
      const cancel = new AbortController()
      const context: BuildContext = {
        say: lines.add,
        heard: (at) => void (position = at),
        from: run.engine_position,
        cancel: cancel.signal,
        leave: signal,
      }
      if (attempt > 1) lines.add('The console was stopped in the middle of this: it goes on')
      void watchCancel(run, over.signal, cancel)
      let cause: string | null = null
      let outcome: BuildOutcome = { images: [] }
      try {
        outcome = await build(stack, run, context)
        await lines.flush()
      } catch (error) {
        // Ours and not the build's: the queue does it again.
        if (signal.aborted || isOurDatabase(error)) throw error
        cause = explain(cancel.signal.aborted ? cancel.signal.reason : error)
        lines.add(cancel.signal.reason === canceled ? cause : `Failed: ${cause}`)
        await sweep(stack, context).catch((reason: unknown) =>
          lines.add(`What may be left of it could not be looked for: ${explain(reason)}`),
        )
        await lines.flush().catch(() => {})
      } finally {
        over.abort()
      }
      if ('open' in outcome) return openFor(run, stack, outcome.open)
      await end(run, stack, cause, outcome.images)
      await forget(stack.id, run.id)
    }),
    long: true,
  }

  return {
    handler,
    /** Open machines cost: one that nobody comes back to is ended, and one that is gone is noticed. */
    async sweep(): Promise<void> {
      for (const run of await store.runsUnderWay(db.kysely)) {
        if (run.state !== 'customize') continue
        const late = now() > run.state_since.getTime() + OPEN_MS
        if (!late && (await stillOpen(run.stack_id, run.id))) continue
        await db.transaction(async (tx) => {
          const locked = await store.lock(tx, run.stack_id)
          if (locked?.state !== 'customize') return
          const at = new Date(now())
          if (late) {
            await store.updateRun(tx, run.id, { cancel_asked: true })
            const text = `It was open for ${OPEN_MS / 3_600_000} hours and is ended`
            await store.addLogs(tx, run.stack_id, LOG, at, [text])
          }
          await store.update(tx, run.stack_id, { state: 'building', state_since: at, open: null })
          await queue.add(tx, buildTask, { run: run.id }, { queue: `stack ${run.stack_id}` })
        })
      }
    },
  }
}
