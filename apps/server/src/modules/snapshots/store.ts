import { sql } from 'kysely'
import type { Database, Queryable, Transaction } from '../../db/database'
import { prepare } from '../../db/connection/prepared'
import { isJobOf, type JobOwner } from '../../db/job-owners'
import { tables, type SnapshotTable } from './pages/store'

export type Row = { key: string; position: number; data: unknown }

export async function write(
  tx: Transaction,
  which: SnapshotTable,
  clusterId: string,
  changed: Row[],
  removed: string[],
): Promise<void> {
  const { table, key } = tables[which]
  // Limits the size of each statement, regardless of how much changed.
  for (let at = 0; at < changed.length; at += 1000) {
    const part = changed.slice(at, at + 1000)
    const json = JSON.stringify(part.map((row) => ({ key: row.key, position: row.position, data: row.data })))
    const position = which === 'queue' ? sql`, position` : sql``
    const newPosition = which === 'queue' ? sql`, position = excluded.position` : sql``
    await sql`insert into ${sql.table(table)} (cluster_id, ${sql.ref(key)}, data ${position})
      select ${clusterId}, r.key, r.data ${position} from jsonb_to_recordset(${json}::jsonb) as r(key text, position int, data jsonb)
      on conflict (cluster_id, ${sql.ref(key)}) do update set data = excluded.data ${newPosition}`.execute(tx)
  }
  if (removed.length > 0)
    await sql`delete from ${sql.table(table)} where cluster_id = ${clusterId} and ${sql.ref(key)} = any(${removed})`.execute(
      tx,
    )
}

export async function all(db: Queryable, which: SnapshotTable, clusterId: string): Promise<Row[]> {
  const { table, key } = tables[which]
  const position = which === 'queue' ? sql`position` : sql`0`
  const { rows } =
    await sql<Row>`select ${sql.ref(key)} as key, ${position} as position, data from ${sql.table(table)}
    where cluster_id = ${clusterId}`.execute(db)
  return rows
}

export const running = (db: Queryable, clusterId: string, owner?: JobOwner) =>
  db
    .selectFrom('cluster_queue')
    .select('data')
    .where('cluster_id', '=', clusterId)
    .where(owner ? isJobOf(owner) : sql<boolean>`true`)
    .where(sql`data->>'state'`, '=', 'running')
    .orderBy('position')
    .execute()

export const node = (db: Queryable, clusterId: string, name: string) =>
  db
    .selectFrom('cluster_nodes')
    .select('data')
    .where('cluster_id', '=', clusterId)
    .where('name', '=', name)
    .executeTakeFirst()

export const addLoad = (db: Queryable, clusterId: string, time: Date, cpus: number, loadAvg: number) =>
  db
    .insertInto('cluster_loads')
    .values({ cluster_id: clusterId, time, cpus, load_avg: loadAvg })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

type LoadRow = { cluster_id: string; time: Date; cpus: number; load_avg: number }

/** The highest load in each interval, so that no peak is lost. */
export const loads = async (db: Queryable, clusterId: string, since: Date, pieceMs: number) =>
  (
    await sql<LoadRow>`
      select cluster_id, max(time) as time, max(cpus) as cpus, max(load_avg) as load_avg
      from cluster_loads where cluster_id = ${clusterId} and time > ${since}
      group by cluster_id, floor(extract(epoch from time) * 1000 / ${pieceMs}::float8)
      order by time`.execute(db)
  ).rows

/** One point for each interval, for those of these clusters that are the busiest now. */
export const loadsOf = async (
  db: Queryable,
  ids: string[],
  { since, pieceMs, most }: { since: Date; pieceMs: number; most: number },
) =>
  (
    await sql<LoadRow>`
      with busiest as (
        select id from unnest(${ids}::text[]) as c(id), lateral (
          select load_avg / greatest(cpus, 1) as share from cluster_loads l
          where l.cluster_id = c.id and l.time > ${since} order by l.time desc limit 1) last
        order by share desc, id limit ${most})
      select cluster_id, max(time) as time, max(cpus) as cpus, avg(load_avg) as load_avg
      from cluster_loads where cluster_id in (select id from busiest) and time > ${since}
      group by cluster_id, floor(extract(epoch from time) * 1000 / ${pieceMs}::float8)
      order by cluster_id, time`.execute(db)
  ).rows

export const removeOldLoads = (db: Queryable, before: Date) =>
  db.deleteFrom('cluster_loads').where('time', '<', before).execute()

/** Returns whether the cluster still exists and, if required, is in use. */
export const setPolled = async (
  tx: Transaction,
  clusterId: string,
  onlyInUse: boolean,
  values: {
    polled_at: Date
    queue_counts?: string
    node_counts?: string
    largest_node?: string
    node_totals?: string
  },
): Promise<boolean> => {
  const update = tx
    .updateTable('clusters')
    .set({ ...values, poll_error: null, poll_error_since: null })
    .where('id', '=', clusterId)
  const chosen = onlyInUse ? update.where('state', 'in', ['available', 'stopped']) : update
  return (await chosen.returning('id').executeTakeFirst()) !== undefined
}

const touch = prepare(
  'touch a polled cluster',
  () => `
  update clusters set polled_at = $2, poll_error = null, poll_error_since = null
  from set_config('synchronous_commit', 'off', true)
  where id = $1 and state in ('available', 'stopped')`,
)
/** Saves that a poll found nothing new. It does not wait for the disk, because the next poll saves it again. */
export const touchPolled = async (db: Database, clusterId: string, at: Date): Promise<void> => {
  await touch(db, [clusterId, at])
}

export const setPollError = (db: Queryable, clusterId: string, error: string, since: Date) =>
  db
    .updateTable('clusters')
    .set((row) => ({
      poll_error: error,
      poll_error_since: row.fn.coalesce('poll_error_since', row.val(since)),
    }))
    .where('id', '=', clusterId)
    .execute()

/** The ids of these submissions that a user made, or that belong to their jobs. */
export const submissionsOf = async (db: Queryable, userId: string, ids: string[]): Promise<string[]> =>
  ids.length === 0
    ? []
    : (
        await db
          .selectFrom('submissions')
          .innerJoin('jobs', 'jobs.id', 'submissions.job_id')
          .select('submissions.id')
          .where('submissions.id', '=', sql<string>`any(${ids})`)
          .where((eb) => eb.or([eb('jobs.owner_id', '=', userId), eb('submissions.user_id', '=', userId)]))
          .execute()
      ).map(({ id }) => id)
