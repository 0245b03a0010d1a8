import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { LogLevel } from '@flotilla/contract/clusters/entity'
import { countText } from '@flotilla/contract/count-text'
import { isDatabaseDown } from '../../db/connection/down'
import type { Database, Transaction } from '../../db/database'
import type { NewLine } from '../../db/logs'
import type { Following } from '../../engines/engine'
import { explain } from '../../explain'
import type { Queue } from '../../queue/queue'
import { defineTask, handle, type Handler } from '../../queue/task'
import { batchedLog } from './log'
import { runTable, type NewRun, type Run, type RunTable } from './store'

const CANCEL_CHECK_MS = 1000
/** How long a step may clean up when the server stops, which does not wait much longer. */
const DETACH_MS = 2000
const MINUTE_MS = 60_000

/** The context of a step. */
export type RunContext = {
  /** Adds a line to the log, which is written with the next batch. */
  log(text: string, level?: LogLevel): void
  /** Adds a line to the log and waits until it is written. Fails if the run was aborted in the meantime. */
  logNow(text: string, level?: LogLevel): Promise<void>
  /** Records how far the output of an engine was read. Saved with the next lines. */
  notePosition(position: number): void
  /** Aborted when the run is canceled, aborted or timed out. */
  cancel: AbortSignal
  /** Aborted when this server stops. Work that can continue without the server does. */
  detach: AbortSignal
  /** Throws if the run is to end or the server stops. */
  check(): void
  /** Waits this long. Throws like `check` as soon as the run is to end or the server stops. */
  pause(ms: number): Promise<void>
  /**
   * Runs a part that may fail. Throws if the database is unavailable or the server stops, so that the queue retries the
   * run.
   */
  tolerate(part: () => Promise<unknown>, onFailure: (error: unknown) => unknown): Promise<void>
}

/** Follows the engine of a run and adds its output to the log. */
export const following = ({ log, notePosition, cancel, detach }: RunContext): Following => ({
  onEvent({ text, level, change, position }) {
    notePosition(position)
    // Progress is not logged, because the page shows the elapsed time itself.
    if (change?.phase !== 'progress') log(text, level)
  },
  cancel,
  detach,
})

/** Returned by a step that waits for the user: the run stays in progress until `resume` continues it. */
export const paused = Symbol('paused')

type Work<Result> = {
  limitMs: number
  /** How long a step may take to stop after it was canceled. */
  graceMs: number
  step(context: RunContext): Promise<Result | typeof paused>
}
type Ending<Table extends RunTable, Result> = {
  run: Run<Table>
  at: Date
  /** Why the run failed, or null. */
  cause: string | null
  /** The result of a run that did not fail. */
  result: Result | null
  actor: { id: string; username: string } | null
}

/**
 * Defines one kind of run: its table and the task that carries it out. Runs of a subject are carried out one at a time,
 * in the order in which they began.
 */
export function defineRuns<Table extends RunTable>(noun: string, taskName: string, table: Table) {
  const task = defineTask(taskName, z.object({ run: z.string() }))
  const store = runTable(table)
  return {
    ...store,
    task,
    /** Begins a run in the transaction of the corresponding state change. Returns its id. */
    async begin(
      tx: Transaction,
      queue: Queue,
      subjectId: string,
      run: NewRun<Table>,
      // In its own queue, the run does not wait for one that hangs.
      { ahead = false } = {},
    ): Promise<string> {
      const id = await store.insert(tx, subjectId, run)
      const name = `${noun} ${subjectId}${ahead ? ' forced' : ''}`
      await queue.add(tx, task, { run: id }, { queue: name })
      return id
    },
    /** Continues a run that is paused. */
    resume: (tx: Transaction, queue: Queue, run: Pick<Run<Table>, 'id' | 'subject_id'>) =>
      queue.add(tx, task, { run: run.id }, { queue: `${noun} ${run.subject_id}` }),
  }
}

type Kind<Table extends RunTable> = Pick<
  ReturnType<typeof defineRuns<Table>>,
  'task' | 'find' | 'inProgress' | 'lockSubject' | 'end' | 'overdue'
>
type Options<Table extends RunTable, Subject, Result> = {
  db: Database
  /** How long a run that no server carries out anymore may stay in progress, and the advice in its cause. */
  overdueMs: number
  overdueAdvice?: string
  find(subjectId: string): Promise<Subject | undefined>
  /** The work of a run. May run twice: a run that was interrupted by a crash starts over. */
  work(subject: Subject, run: Run<Table>): Work<Result>
  /** Writes lines to the log of the run, and how far the engine's output was read, if that is known. */
  write(
    tx: Transaction,
    subject: Subject,
    run: Run<Table>,
    lines: NewLine[],
    position: number | null,
  ): Promise<void>
  /** Removes what a failed step left behind. */
  cleanUp?(subject: Subject, context: RunContext): Promise<void>
  /** Applies the end of the run to its subject, in the transaction that ends the run. */
  finish(tx: Transaction, subject: Subject, ending: Ending<Table, Result>): Promise<void>
  /** Called after that transaction. May run twice. */
  afterEnd(run: Run<Table>): Promise<void>
  now: () => number
}

/** The run was ended elsewhere, so there is nothing left to do or to report. */
class Aborted extends Error {}
class Canceled extends Error {
  override readonly message = 'Canceled'
}
const durationText = (ms: number): string => {
  const minutes = Math.round(ms / MINUTE_MS)
  return minutes < 120 ? countText(minutes, 'minute') : countText(Math.round(minutes / 60), 'hour')
}

/** Carries out runs of one kind. */
export function makeRuns<Table extends RunTable, Subject, Result>(
  kind: Kind<Table>,
  {
    db,
    overdueMs,
    overdueAdvice = 'Try again.',
    find,
    work,
    write,
    cleanUp,
    finish,
    afterEnd,
    now,
  }: Options<Table, Subject, Result>,
) {
  /** Ends the run, unless it has been ended already. */
  const end = (run: Run<Table>, subject: Subject, cause: string | null, result: Result | null) =>
    db.transaction(async (tx) => {
      const at = new Date(now())
      await kind.lockSubject(tx, run.subject_id)
      if (!(await kind.end(tx, run.id, at, cause))) return
      const actor = run.actor_id && run.actor ? { id: run.actor_id, username: run.actor } : null
      await finish(tx, subject, { run, at, cause, result, actor })
    })

  /** Aborts `cancel` when any server requests it, or when the time limit is exceeded. */
  const watchCancel = async (runId: string, limitMs: number, over: AbortSignal, cancel: AbortController) => {
    const until = now() + limitMs
    while (!over.aborted && !cancel.signal.aborted) {
      const run = await kind.inProgress(db.kysely, runId).catch(() => null)
      if (run === undefined) cancel.abort(new Aborted())
      else if (run?.cancel_asked) cancel.abort(new Canceled())
      else if (now() > until) cancel.abort(new Error(`Timed out after ${durationText(limitMs)}`))
      await sleep(CANCEL_CHECK_MS, undefined, { signal: over }).catch(() => {})
    }
  }

  /** The context of a run's step, and its lines that wait to be written. */
  const open = (run: Run<Table>, subject: Subject, cancel: AbortSignal, detach: AbortSignal) => {
    let position: number | null = null
    const writeLines = (lines: NewLine[]) => db.transaction((tx) => write(tx, subject, run, lines, position))
    const lines = batchedLog(writeLines)
    /** These errors do not fail the run: the queue retries it. */
    const isRetried = (error: unknown) => detach.aborted || isDatabaseDown(error)
    const context: RunContext = {
      log: lines.add,
      async logNow(text, level = 'info') {
        if (!(await kind.inProgress(db.kysely, run.id))) throw new Aborted()
        await lines.flush()
        await writeLines([{ text, level }])
      },
      notePosition: (at) => void (position = at),
      cancel,
      detach,
      check() {
        cancel.throwIfAborted()
        detach.throwIfAborted()
      },
      async pause(ms) {
        // `check` throws the reason why the pause was cut short.
        await sleep(ms, undefined, { signal: AbortSignal.any([cancel, detach]) }).catch(() => {})
        context.check()
      },
      async tolerate(part, onFailure) {
        try {
          await part()
        } catch (error) {
          if (isRetried(error) || error instanceof Aborted) throw error
          await onFailure(error)
        }
      },
    }
    return { context, lines, isRetried }
  }
  /** Cleans up before a failed run ends. */
  const cleanUpAfterFailure = async (subject: Subject, { context, lines }: ReturnType<typeof open>) => {
    await cleanUp?.(subject, context).catch((left: unknown) =>
      lines.add(`Could not clean up: ${explain(left)}`, 'error'),
    )
    await lines.flush().catch(() => {})
  }

  const handler: Handler = {
    ...handle(kind.task, async ({ run: runId }, { attempt, signal: detach }) => {
      const run = await kind.inProgress(db.kysely, runId)
      const subject = run && (await find(run.subject_id))
      if (!run || !subject) {
        // The server may have stopped right after the run ended.
        const ended = await kind.find(db.kysely, runId)
        if (ended) await afterEnd(ended)
        return
      }
      const over = new AbortController()
      const cancel = new AbortController()
      const opened = open(run, subject, cancel.signal, detach)
      const { context, lines } = opened
      const { limitMs, graceMs, step } = work(subject, run)
      if (attempt > 1) await context.logNow('Resumed after an interruption', 'warning')
      void watchCancel(runId, limitMs, over.signal, cancel)
      let cause: string | null = null
      let result: Result | typeof paused | null = null
      try {
        result = await Promise.race([
          step(context),
          rejectAfter(cancel.signal, graceMs, over.signal),
          rejectAfter(detach, DETACH_MS, over.signal),
        ])
        await lines.flush()
      } catch (error) {
        if (opened.isRetried(error)) throw error
        const reason: unknown = cancel.signal.aborted ? cancel.signal.reason : error
        if (reason instanceof Aborted || error instanceof Aborted) return
        cause = explain(reason)
        if (reason instanceof Canceled) lines.add(cause, 'warning')
        else lines.add(`Failed: ${cause}`, 'error')
        await cleanUpAfterFailure(subject, opened)
      } finally {
        over.abort()
      }
      if (result === paused) return
      await end(run, subject, cause, result)
      await afterEnd(run)
    }),
    long: true,
  }

  return {
    handler,
    /** Ends runs that no server carries out anymore, because they would block their subject. */
    async sweep(): Promise<void> {
      for (const run of await kind.overdue(db.kysely, new Date(now() - overdueMs))) {
        const subject = await find(run.subject_id)
        // The run may have ended while the previous one was cleaned up.
        if (!subject || !(await kind.inProgress(db.kysely, run.id))) continue
        const cause = `Not finished within ${durationText(overdueMs)}. ${overdueAdvice}`
        const { signal } = new AbortController()
        const opened = open(run, subject, signal, signal)
        opened.lines.add(`Failed: ${cause}`, 'error')
        await cleanUpAfterFailure(subject, opened)
        await end(run, subject, cause, null)
        await afterEnd(run)
      }
    },
  }
}

/** Gives a step that was told to stop the time to do so gracefully, but does not wait forever. */
const rejectAfter = (signal: AbortSignal, graceMs: number, over: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    const later = () => setTimeout(() => reject(signal.reason as Error), graceMs).unref()
    if (signal.aborted) later()
    else signal.addEventListener('abort', later, { once: true, signal: over })
  })
