import { sql, type Insertable } from 'kysely'
import type { Queryable, Transaction } from '../../db/database'
import type { SubmissionRow } from '../../db/tables/jobs'
import type { Tables } from '../../db/tables'

// Statements that change the past, which no module has. Where a module's own store can write it, the demo uses that.

/** The number of parameters of a statement is limited. */
const ROWS = 500
async function inBatches<Row>(rows: Row[], write: (some: Row[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS) await write(rows.slice(at, at + ROWS))
}

export const setJoined = (tx: Transaction, userId: string, at: Date) =>
  tx.updateTable('users').set({ created_at: at }).where('id', '=', userId).execute()

export const setClusterTimes = (
  db: Queryable,
  clusterId: string,
  times: { created_at?: Date; state_since?: Date },
) =>
  db
    .updateTable('clusters')
    .set({ ...times, ...(times.state_since && { available_since: times.state_since }) })
    .where('id', '=', clusterId)
    .execute()

export const insertSubmissions = (tx: Transaction, rows: Insertable<SubmissionRow>[]) =>
  inBatches(rows, (some) => tx.insertInto('submissions').values(some).execute())

export const setBlockedSince = (db: Queryable, submissionId: string, at: Date) =>
  db.updateTable('submissions').set({ submitted_at: at }).where('id', '=', submissionId).execute()

export const insertMachines = (tx: Transaction, rows: Insertable<Tables['usage_machines']>[]) =>
  inBatches(rows, (some) => tx.insertInto('usage_machines').values(some).execute())

export const insertLoads = (tx: Transaction, rows: Insertable<Tables['cluster_loads']>[]) =>
  inBatches(rows, (some) =>
    tx
      .insertInto('cluster_loads')
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )

/** Removes the loads of a cluster that was deployed only for the poller to read it. */
export const removeLoads = (db: Queryable, clusterId: string, after: Date) =>
  db.deleteFrom('cluster_loads').where('cluster_id', '=', clusterId).where('time', '>', after).execute()

/** Sets the load to what it would be if the demo's jobs computed instead of sleeping. */
export const pretendLoad = (db: Queryable, share: number, since: Date) =>
  sql`update cluster_loads l set load_avg = ${share}::float8 * (
      select coalesce(sum((n.data->>'coresUsed')::int), 0) from cluster_nodes n where n.cluster_id = l.cluster_id)
    where l.time > ${since} and l.load_avg < 0.02 * l.cpus`.execute(db)

export const hasHistory = async (db: Queryable, clusterId: string, before: Date): Promise<boolean> =>
  (await db
    .selectFrom('usage_machines')
    .select('name')
    .where('cluster_id', '=', clusterId)
    .where('from_at', '<', before)
    .limit(1)
    .executeTakeFirst()) !== undefined

export const hasActivities = async (db: Queryable, before: Date): Promise<boolean> =>
  (await db.selectFrom('activities').select('id').where('time', '<', before).limit(1).executeTakeFirst()) !==
  undefined

export const userIds = async (db: Queryable): Promise<Map<string, string>> =>
  new Map(
    (await db.selectFrom('users').select(['id', 'username']).execute()).map(({ id, username }) => [
      username,
      id,
    ]),
  )

export const jobIds = async (db: Queryable): Promise<Map<string, string>> =>
  new Map((await db.selectFrom('jobs').select(['id', 'name']).execute()).map(({ id, name }) => [name, id]))

/** Newest first. */
export const pastSubmissions = (db: Queryable) =>
  db
    .selectFrom('submissions')
    .select([
      'id',
      'job_id',
      'job_name',
      'cluster_id',
      'cluster_name',
      'submitted_by',
      'submitted_at',
      'state',
    ])
    .select(['folder'])
    .where('ended_at', 'is not', null)
    .orderBy('submitted_at', 'desc')
    .execute()
export type PastSubmission = Awaited<ReturnType<typeof pastSubmissions>>[number]
