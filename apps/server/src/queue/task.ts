import type { Logger } from 'pino'
import type * as z from 'zod/mini'

/** What both sides of the queue agree on: the name of the work and the form of what it needs. */
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
  /** The work is given up when this attempt fails. */
  lastAttempt: boolean
  /** Set off when the server stops and has waited long enough: end soon, the work is done again later. */
  signal: AbortSignal
  log: Logger
}

/** A task together with what does it. */
export interface Handler {
  task: Task
  /** It may take an hour: it has workers of its own, so that short work need not wait for it. */
  long?: true
  run(payload: unknown, run: Run): Promise<void>
}

/** Work may run twice (a server can die after doing it and before saying so), so a handler must bear that. */
export const handle = <Schema extends z.ZodMiniType>(
  task: Task<Schema>,
  work: (payload: z.output<Schema>, run: Run) => Promise<void>,
): Handler => ({
  task,
  run: (payload, run) => work(task.schema.parse(payload), run),
})
