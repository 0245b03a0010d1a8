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
/** How long a step may tidy up when the server stops, which does not wait much longer. */
const LEAVE_MS = 2000
const MINUTE_MS = 60_000

/** What a step knows about its run. */
export type RunContext = {
  /** Adds a line to the log, written soon. */
  say(text: string, level?: LogLevel): void
  /** Adds a line to the log and waits until it is written; fails when the run was aborted in the meantime. */
  log(text: string, level?: LogLevel): Promise<void>
  /** Notes how far the output of an engine was read; kept with the next line. */
  notePosition(position: number): void
  /** The user wants it to end, or its time is over. */
  cancel: AbortSignal
  /** This server stops: what can go on without it does. */
  leave: AbortSignal
  /** Throws when the run is to end or the server stops. */
  check(): void
  /** Waits this long, and throws as `check` does as soon as the run is to end or the server stops. */
  pause(ms: number): Promise<void>
  /** Does a part that may fail. While the database is away or the server stops, it throws: the queue tries the run again. */
  tolerate(part: () => Promise<unknown>, onFailure: (error: unknown) => unknown): Promise<void>
}

/** Follows an engine that works for a run: its output goes to the log. */
export const following = ({ say, notePosition, cancel, leave }: RunContext): Following => ({
  onEvent({ text, level, change, position }) {
    notePosition(position)
    // The page has a clock of its own.
    if (change?.phase !== 'progress') say(text, level)
  },
  cancel,
  leave,
})

/** Returned by a step that waits for the user: the run stays in progress, and `resume` continues it. */
export const paused = Symbol('paused')

type Work<Result> = {
  limitMs: number
  /** How long a step may take to stop after it was told to. */
  graceMs: number
  step(context: RunContext): Promise<Result | typeof paused>
}
type Ending<Table extends RunTable, Result> = {
  run: Run<Table>
  at: Date
  /** Why it failed, or null. */
  cause: string | null
  /** Of a run that did not fail. */
  result: Result | null
  actor: { id: string; username: string } | null
}

/**
 * One kind of run: its table, and the task that carries it out. Runs of a subject are carried out one at a time, in
 * the order in which they began.
 */
export function defineRuns<Table extends RunTable>(noun: string, taskName: string, table: Table) {
  const task = defineTask(taskName, z.object({ run: z.string() }))
  const store = runTable(table)
  return {
    ...store,
    task,
    /** Commits with the change of state that it stands for. Returns its id. */
    async begin(
      tx: Transaction,
      queue: Queue,
      subjectId: string,
      run: NewRun<Table>,
      // In a queue of its own, it does not wait for a run that hangs.
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
  /** How long a run that no server carries out anymore may stay in progress, and what its cause then advises. */
  overdueMs: number
  overdueAdvice?: string
  find(subjectId: string): Promise<Subject | undefined>
  /** What is to be done. It may be done twice: a run that a crash cut off is carried out again. */
  work(subject: Subject, run: Run<Table>): Work<Result>
  /** Writes lines to the log of the run, with how far the engine was read, if that is known. */
  write(
    tx: Transaction,
    subject: Subject,
    run: Run<Table>,
    lines: NewLine[],
    position: number | null,
  ): Promise<void>
  /** Removes what a failed step left behind. */
  cleanUp?(subject: Subject, context: RunContext): Promise<void>
  /** What the end means for the subject, in the transaction that ends the run. */
  finish(tx: Transaction, subject: Subject, ending: Ending<Table, Result>): Promise<void>
  /** After that transaction. It may be done twice. */
  afterEnd(run: Run<Table>): Promise<void>
  now: () => number
}

/** The run was ended by someone else: there is nothing left to do or to say. */
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
  /** The first caller ends it. */
  const end = (run: Run<Table>, subject: Subject, cause: string | null, result: Result | null) =>
    db.transaction(async (tx) => {
      const at = new Date(now())
      await kind.lockSubject(tx, run.subject_id)
      if (!(await kind.end(tx, run.id, at, cause))) return
      const actor = run.actor_id && run.actor ? { id: run.actor_id, username: run.actor } : null
      await finish(tx, subject, { run, at, cause, result, actor })
    })

  /** Aborts `cancel` when that is requested through any server, or when the time is over. */
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

  /** What the steps of a run know, and its lines that wait to be written. */
  const open = (run: Run<Table>, subject: Subject, cancel: AbortSignal, leave: AbortSignal) => {
    let position: number | null = null
    const writeLines = (lines: NewLine[]) => db.transaction((tx) => write(tx, subject, run, lines, position))
    const lines = batchedLog(writeLines)
    /** Not the run's failure: the queue tries it again. */
    const isTriedAgain = (error: unknown) => leave.aborted || isDatabaseDown(error)
    const context: RunContext = {
      say: lines.add,
      async log(text, level = 'info') {
        if (!(await kind.inProgress(db.kysely, run.id))) throw new Aborted()
        await lines.flush()
        await writeLines([{ text, level }])
      },
      notePosition: (at) => void (position = at),
      cancel,
      leave,
      check() {
        cancel.throwIfAborted()
        leave.throwIfAborted()
      },
      async pause(ms) {
        // Why it was cut short is what `check` throws.
        await sleep(ms, undefined, { signal: AbortSignal.any([cancel, leave]) }).catch(() => {})
        context.check()
      },
      async tolerate(part, onFailure) {
        try {
          await part()
        } catch (error) {
          if (isTriedAgain(error) || error instanceof Aborted) throw error
          await onFailure(error)
        }
      },
    }
    return { context, lines, isTriedAgain }
  }
  /** What comes before the end of a run that failed. */
  const cleanUpAfterFailure = async (subject: Subject, { context, lines }: ReturnType<typeof open>) => {
    await cleanUp?.(subject, context).catch((left: unknown) =>
      lines.add(`Could not clean up: ${explain(left)}`, 'error'),
    )
    await lines.flush().catch(() => {})
  }

  const handler: Handler = {
    ...handle(kind.task, async ({ run: runId }, { attempt, signal: leave }) => {
      const run = await kind.inProgress(db.kysely, runId)
      const subject = run && (await find(run.subject_id))
      if (!run || !subject) {
        // The server may have stopped right after the end of the run.
        const ended = await kind.find(db.kysely, runId)
        if (ended) await afterEnd(ended)
        return
      }
      const over = new AbortController()
      const cancel = new AbortController()
      const opened = open(run, subject, cancel.signal, leave)
      const { context, lines } = opened
      const { limitMs, graceMs, step } = work(subject, run)
      if (attempt > 1) await context.log('Resumed after an interruption', 'warning')
      void watchCancel(runId, limitMs, over.signal, cancel)
      let cause: string | null = null
      let result: Result | typeof paused | null = null
      try {
        result = await Promise.race([
          step(context),
          rejectAfter(cancel.signal, graceMs, over.signal),
          rejectAfter(leave, LEAVE_MS, over.signal),
        ])
        await lines.flush()
      } catch (error) {
        if (opened.isTriedAgain(error)) throw error
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
    /** Runs that no server carries out anymore must not block their subject. */
    async sweep(): Promise<void> {
      for (const run of await kind.overdue(db.kysely, new Date(now() - overdueMs))) {
        const subject = await find(run.subject_id)
        // Another one may have ended while the one before it was cleaned up.
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

/** A step that was told to stop does so gracefully, but is not awaited forever. */
const rejectAfter = (signal: AbortSignal, graceMs: number, over: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    const later = () => setTimeout(() => reject(signal.reason as Error), graceMs).unref()
    if (signal.aborted) later()
    else signal.addEventListener('abort', later, { once: true, signal: over })
  })
