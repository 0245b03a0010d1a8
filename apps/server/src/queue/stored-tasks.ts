import { runMigrations } from 'graphile-worker'
import { sql } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { survive, type Transaction } from '../db/database'
import type { Task } from './task'
import { quiet } from './workers'

/** A task as it is stored outside the queue. Its payload is JSON text. */
const StoredTask = z.object({
  task: z.string(),
  payload: z.string(),
  queue: z.nullable(z.string()),
  runAt: z.string(),
  maxAttempts: z.number(),
  key: z.nullable(z.string()),
  priority: z.number(),
})
export const StoredTasks = z.array(StoredTask)
type StoredTask = z.infer<typeof StoredTask>

/** The tasks that wait or are in progress, in order. Tasks that failed their last attempt are left out. */
export async function readTasks(client: pg.Client): Promise<StoredTask[]> {
  const { rows: found } = await client.query("select to_regclass('graphile_worker._private_jobs') as found")
  if (found[0]?.found === null) return []
  const { rows } = await client.query<StoredTask>(`
    select tasks.identifier as task, jobs.payload::text as payload, queues.queue_name as queue,
      jobs.run_at::text as "runAt", jobs.max_attempts as "maxAttempts", jobs.key, jobs.priority
    from graphile_worker._private_jobs jobs
      join graphile_worker._private_tasks tasks on tasks.id = jobs.task_id
      left join graphile_worker._private_job_queues queues on queues.id = jobs.job_queue_id
    where jobs.attempts < jobs.max_attempts or jobs.locked_at is not null
    order by jobs.id`)
  return StoredTasks.parse(rows)
}

/** Creates the queue's own tables in a database that has none. */
export async function prepareQueue(url: string, log: Logger): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  survive(pool, log)
  try {
    await runMigrations({ pgPool: pool, logger: quiet(log) })
  } finally {
    await pool.end()
  }
}

/** Adds the tasks again in the client's open transaction. */
export async function addTasks(client: pg.Client, tasks: StoredTask[]): Promise<void> {
  for (const { task, payload, queue, runAt, maxAttempts, key, priority } of tasks)
    await client.query(
      `select graphile_worker.add_job($1, payload => $2::json, queue_name => $3, run_at => $4::timestamptz,
         max_attempts => $5::int, job_key => $6, priority => $7::int)`,
      [task, payload, queue, runAt, maxAttempts, key, priority],
    )
}

/** Rewrites the payload of every task of this kind. */
export async function rewriteTasks<Schema extends z.ZodMiniType>(
  tx: Transaction,
  { name, schema }: Task<Schema>,
  change: (payload: z.output<Schema>) => z.input<Schema>,
): Promise<void> {
  const { rows } = await sql<{ id: string; payload: unknown }>`
    select jobs.id::text, jobs.payload from graphile_worker._private_jobs jobs
      join graphile_worker._private_tasks tasks on tasks.id = jobs.task_id
    where tasks.identifier = ${name}`.execute(tx)
  for (const { id, payload } of rows)
    await sql`update graphile_worker._private_jobs set payload = ${JSON.stringify(change(schema.parse(payload)))}
      where id = ${id}`.execute(tx)
}
