import { setTimeout as sleep } from 'node:timers/promises'
import { runMigrations } from 'graphile-worker'
import { sql } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import type * as z from 'zod/mini'
import { IDLE_CONNECTION_MS, survive, type Transaction } from '../db/database'
import { keepPresence } from './presence'
import { quiet, runWorkers, type Schedule, type Workers } from './workers'
import type { Handler, Task } from './task'

const CONCURRENCY = 8
const LONG_CONCURRENCY = 16
/**
 * Two listen for as long as the server runs. The others are busy for milliseconds, to fetch a task or record its end.
 */
const POOL_SIZE = 6
const DISCONNECT_MS = 2000
/** An arbitrary number that no other advisory lock in the database uses. */
const MIGRATION_LOCK = 7_305_804_402

interface AddOptions {
  /** Tasks of the same queue run one after the other, in the order in which they were added. */
  queue?: string
  runAt?: Date
  maxAttempts?: number
  /** A waiting task with the same key is replaced by this one. */
  key?: string
  /** Lower values run first. */
  priority?: number
}

export interface Queue {
  /** The task exists if and only if the transaction commits. */
  add<Schema extends z.ZodMiniType>(
    tx: Transaction,
    task: Task<Schema>,
    payload: z.input<Schema>,
    options?: AddOptions,
  ): Promise<void>
  /** Starts the workers. This is separate from opening because handlers depend on parts that need an open queue. */
  start(handlers: Handler[], schedule?: Schedule[]): void
  /** Takes no more tasks and waits for those in progress; tasks that do not end in time run again later. */
  stop(): Promise<void>
}

export interface QueueOptions {
  url: string
  /** No other server can be using this database (it is the embedded one). */
  alone: boolean
  log: Logger
}

/** Durable tasks, stored in the database and committed with the change that requests them. */
export async function openQueue({ url, alone, log }: QueueOptions): Promise<Queue> {
  // The queue has its own connections, so that finished tasks can be recorded when requests use up all others.
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'flotilla queue',
    max: POOL_SIZE,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    keepAlive: true,
  })
  survive(pool, log)
  try {
    await prepare(pool, log)
  } catch (error) {
    await pool.end()
    throw error
  }
  const presence = keepPresence({ url, alone, log })
  let workers: Workers[] = []

  return {
    async add(tx, task, payload, { queue, runAt, maxAttempts, key, priority } = {}) {
      const json = JSON.stringify(task.schema.parse(payload))
      await sql`select graphile_worker.add_job(
        ${task.name}, payload => ${json}::json, queue_name => ${queue ?? null}, run_at => ${runAt ?? null}::timestamptz,
        max_attempts => ${maxAttempts ?? null}::int, job_key => ${key ?? null}, priority => ${priority ?? null}::int
      )`.execute(tx)
    },
    start(handlers, schedule = []) {
      const long = handlers.filter((handler) => handler.long)
      const short = handlers.filter((handler) => !handler.long)
      workers = [runWorkers({ pool, handlers: short, schedule, concurrency: CONCURRENCY, presence, log })]
      if (long.length > 0)
        workers.push(
          runWorkers({ pool, handlers: long, schedule: [], concurrency: LONG_CONCURRENCY, presence, log }),
        )
    },
    async stop() {
      await Promise.all(workers.map((one) => one.stop()))
      await presence.close()
      await Promise.race([pool.end(), sleep(DISCONNECT_MS, undefined, { ref: false })])
    },
  }
}

/** Migrates the queue's own tables; servers that start at the same time wait for each other. */
async function prepare(pool: pg.Pool, log: Logger): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await runMigrations({ pgPool: pool, logger: quiet(log) })
  } finally {
    // The connection is closed instead of pooled, because the lock ends with its session.
    client.release(true)
  }
}
