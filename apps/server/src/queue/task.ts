import type { Logger } from 'pino'
import type * as z from 'zod/mini'

/** What both sides of the queue agree on: the name of a task and the schema of its payload. */
export interface Task<Schema extends z.ZodMiniType = z.ZodMiniType> {
  name: string
  schema: Schema
}

export const defineTask = <Schema extends z.ZodMiniType>(name: string, schema: Schema): Task<Schema> => ({
  name,
  schema,
})

/** What a handler knows about its run. */
export interface Run {
  id: string
  /** Counts from 1. */
  attempt: number
  /** Whether the task is dropped if this attempt fails. */
  lastAttempt: boolean
  /** Aborted once a stopping server has waited long enough: end now, the task runs again later. */
  signal: AbortSignal
  log: Logger
}

/** A task and the function that runs it. */
export interface Handler {
  task: Task
  /** The task may take an hour, so it has separate workers and short tasks do not wait for it. */
  long?: true
  run(payload: unknown, run: Run): Promise<void>
}

/** A handler must be idempotent: a task runs again if the server dies after it ended and before that is recorded. */
export const handle = <Schema extends z.ZodMiniType>(
  task: Task<Schema>,
  work: (payload: z.output<Schema>, run: Run) => Promise<void>,
): Handler => ({
  task,
  run: (payload, run) => work(task.schema.parse(payload), run),
})
