import type pg from 'pg'

/** Counts the tasks of these kinds that could start now, up to `most`. */
export async function countDue(pool: pg.Pool, tasks: string[], most: number): Promise<number> {
  const { rows } = await pool.query<{ due: number }>({
    name: 'tasks that are due',
    text: `
      select count(*)::int as due from (
        select from graphile_worker._private_jobs jobs
        where jobs.is_available and jobs.run_at <= now()
          and jobs.task_id in (select id from graphile_worker._private_tasks where identifier = any($1))
          and (jobs.job_queue_id is null or jobs.job_queue_id in (
            select id from graphile_worker._private_job_queues where is_available))
        limit $2
      ) found`,
    values: [tasks, most],
  })
  return rows[0]?.due ?? 0
}
