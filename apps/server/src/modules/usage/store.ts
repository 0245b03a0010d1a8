import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Database, Queryable, Transaction } from '../../db/database'
import type { Tables } from '../../db/tables'
import { isSameAccount } from '../../db/job-owners'
import type { UsageRecord } from '../../schedulers/scheduler'

export type Feed = Selectable<Tables['usage_feeds']>
type Known = Pick<Feed, 'cluster_id' | 'name' | 'provider' | 'owner_id'>

/** Locks the feed of a cluster, so that it has one writer at a time. Returns undefined for a new feed. */
export async function lockFeed(tx: Transaction, cluster: Known, at: Date): Promise<Feed | undefined> {
  const before = await tx
    .selectFrom('usage_feeds')
    .selectAll()
    .where('cluster_id', '=', cluster.cluster_id)
    .forUpdate()
    .executeTakeFirst()
  const { cluster_id: _id, ...changes } = cluster
  await tx
    .insertInto('usage_feeds')
    .values({ ...cluster, seen_at: at })
    .onConflict((conflict) => conflict.column('cluster_id').doUpdateSet({ ...changes, seen_at: at }))
    .execute()
  return before
}
export const feed = (db: Queryable, clusterId: string) =>
  db.selectFrom('usage_feeds').selectAll().where('cluster_id', '=', clusterId).executeTakeFirst()

/** Saves how far the resource manager's own records were read. The period they cover is no longer a gap. */
export async function noteHarvest(tx: Transaction, clusterId: string, from: Date, to: Date): Promise<void> {
  await tx
    .updateTable('usage_feeds')
    .set({ harvested_to: to, harvest_error: null })
    .where('cluster_id', '=', clusterId)
    .execute()
  // The rest of a gap that is longer than the period remains.
  await sql`
    with closed as (
      delete from usage_gaps where cluster_id = ${clusterId} and from_at >= ${from} and from_at < ${to} returning *
    )
    insert into usage_gaps as g (cluster_id, from_at, to_at, reason)
    select cluster_id, ${to}, max(to_at), min(reason) from closed where to_at > ${to} group by 1
    on conflict (cluster_id, from_at) do update set to_at = greatest(g.to_at, excluded.to_at)`.execute(tx)
}
export const noteHarvestFailed = (db: Queryable, clusterId: string, reason: string) =>
  db.updateTable('usage_feeds').set({ harvest_error: reason }).where('cluster_id', '=', clusterId).execute()
/** Notes that the cluster keeps no records. */
export const noteNoRecords = (db: Queryable, clusterId: string) =>
  db
    .updateTable('usage_feeds')
    .set({ harvested_to: null, harvest_error: null })
    .where('cluster_id', '=', clusterId)
    .execute()

export const addGap = (tx: Transaction, clusterId: string, from: Date, to: Date, reason: string) =>
  tx
    .insertInto('usage_gaps')
    .values({ cluster_id: clusterId, from_at: from, to_at: to, reason })
    .onConflict((conflict) => conflict.columns(['cluster_id', 'from_at']).doUpdateSet({ to_at: to, reason }))
    .execute()

/** `recorded` means from the resource manager's own records, which take precedence over its queue. */
export type ObservedJob = UsageRecord & { size: string; recorded: boolean }

/** A larger batch would only need more memory. */
const BATCH = 2000

/** Whether a submission ran as the record's account. Otherwise its user could have forged the number. */
const ranAs = (submission: RawBuilder<unknown>) =>
  sql<boolean>`(${submission}.run_as_admin or ${isSameAccount(sql`${submission}.account`, sql`r."user"`)})`

/**
 * Saves what is new about these jobs; saving the same again changes nothing. A job belongs to the user who submitted it
 * here, or to the only user of its account on this cluster. An equal username proves nothing.
 */
export async function saveJobs(tx: Transaction, clusterId: string, jobs: ObservedJob[]): Promise<void> {
  const once = [
    ...new Map(jobs.map((job) => [`${job.reportedBy ?? ''} ${job.id} ${job.startTime}`, job])).values(),
  ]
  // Locked before any job, because the trigger that sums up jobs locks it too.
  await tx
    .selectFrom('usage_feeds')
    .select('cluster_id')
    .where('cluster_id', '=', clusterId)
    .forUpdate()
    .execute()
  for (let at = 0; at < once.length; at += BATCH)
    await sql`
      insert into usage_jobs as u (cluster_id, native_id, started_at, ended_at, recorded, account, user_id, submission_id,
        name, state, nodes, cores, gpus, node_list, size)
      select distinct on (r.id, r."startTime")
        ${clusterId}, r.id, to_timestamp(r."startTime" / 1000.0), to_timestamp(r."endTime" / 1000.0), r.recorded,
        r."user", coalesce(r."reportedBy", marked.user_id, numbered.user_id, made.user_id, uses.user_id, ''),
        coalesce(marked.id, numbered.id), left(r.name, 500), r.state, r.nodes, r.cores, r.gpus, left(r."nodeList", 4000),
        r.size
      from jsonb_to_recordset(${JSON.stringify(once.slice(at, at + BATCH))}::jsonb) as r(id text, "arrayId" text,
        mark text, name text, "user" text, state text, nodes int, cores int, gpus int, "nodeList" text,
        "startTime" float8, "endTime" float8, size text, recorded boolean, "reportedBy" text)
      -- A mark alone proves nothing, because jobs inherit it and any user can set one.
      left join submissions marked on marked.id = r.mark and marked.cluster_id = ${clusterId}
        and (r."reportedBy" is null or marked.user_id = r."reportedBy") and ((marked.native_id = coalesce(r."arrayId", r.id) and ${ranAs(sql`marked`)})
          or (marked.native_id is null and marked.account = r."user" and not marked.run_as_admin))
      left join lateral (
        select s.id, s.user_id from submissions s
        where s.cluster_id = ${clusterId} and s.native_id = coalesce(r."arrayId", r.id)
          and (r."reportedBy" is null or s.user_id = r."reportedBy") and ${ranAs(sql`s`)}
          and s.submitted_at < to_timestamp(r."startTime" / 1000.0) + interval '1 hour'
        order by s.submitted_at desc limit 1
      ) numbered on true
      left join cluster_accounts made on made.cluster_id = ${clusterId} and made.name = r."user"
      left join lateral (
        select min(s.user_id) as user_id from submissions s
        where s.cluster_id = ${clusterId} and s.account = r."user" and not s.run_as_admin
        having count(distinct s.user_id) = 1
      ) uses on true
      -- Jobs reported by a user's account belong to that user, regardless of their number.
      where r."reportedBy" is null or not exists (select from usage_jobs x where x.cluster_id = ${clusterId}
        and x.native_id = r.id and x.started_at = to_timestamp(r."startTime" / 1000.0) and x.user_id not in ('', r."reportedBy"))
      order by r.id, r."startTime", r."reportedBy" is null desc, numbered.user_id = r."reportedBy" desc nulls last
      on conflict (cluster_id, native_id, started_at) do update set
        ended_at = excluded.ended_at,
        estimated = false,
        state = excluded.state,
        recorded = u.recorded or excluded.recorded,
        nodes = case when u.recorded and not excluded.recorded then u.nodes else excluded.nodes end,
        cores = case when u.recorded and not excluded.recorded then u.cores else excluded.cores end,
        gpus = case when u.recorded and not excluded.recorded then u.gpus else excluded.gpus end,
        user_id = case when u.user_id = '' then excluded.user_id else u.user_id end,
        submission_id = coalesce(u.submission_id, excluded.submission_id)
      where (u.ended_at is null or u.estimated
          or (excluded.ended_at is not null and (excluded.recorded or not u.recorded)))
        and (u.estimated, u.ended_at, u.state, u.recorded, u.nodes, u.cores, u.gpus, u.user_id, u.submission_id)
          is distinct from (false, excluded.ended_at, excluded.state, u.recorded or excluded.recorded,
            case when u.recorded and not excluded.recorded then u.nodes else excluded.nodes end,
            case when u.recorded and not excluded.recorded then u.cores else excluded.cores end,
            case when u.recorded and not excluded.recorded then u.gpus else excluded.gpus end,
            case when u.user_id = '' then excluded.user_id else u.user_id end,
            coalesce(u.submission_id, excluded.submission_id))`.execute(tx)
}

/** Ends jobs that are no longer in a queue and whose end is unknown. They count until they were last seen. */
export const endUnreportedJobs = (
  tx: Transaction,
  clusterId: string,
  running: ObservedJob[],
  lastSeen: Date,
) =>
  sql`update usage_jobs set ended_at = greatest(started_at, ${lastSeen}), estimated = true, state = 'unknown'
    where cluster_id = ${clusterId} and ended_at is null
      and native_id <> all(${running.map(({ id }) => id)}::text[])`.execute(tx)

type MachineRow = Selectable<Tables['usage_machines']>
export type Machine = Pick<MachineRow, 'kind' | 'name' | 'state' | 'per_hour'>

export const machinesNow = (db: Queryable, clusterId: string) =>
  db
    .selectFrom('usage_machines')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .where('to_at', 'is', null)
    .execute()
export const clustersWithMachines = async (db: Queryable): Promise<string[]> =>
  (
    await db.selectFrom('usage_machines').select('cluster_id').distinct().where('to_at', 'is', null).execute()
  ).map(({ cluster_id }) => cluster_id)

/** Ends the machines and disks of deleted clusters. */
export const endDeleted = (db: Database, at: Date) =>
  sql`update usage_machines m set to_at = greatest(m.from_at, ${at}::timestamptz)
    where m.to_at is null and not exists (select from clusters c where c.id = m.cluster_id)`.execute(
    db.kysely,
  )

export async function endMachines(
  tx: Transaction,
  clusterId: string,
  rows: { kind: string; name: string; at: Date }[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`update usage_machines m set to_at = greatest(m.from_at, r.at)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(kind text, name text, at timestamptz)
    where m.cluster_id = ${clusterId} and m.to_at is null and m.kind = r.kind and m.name = r.name`.execute(tx)
}
export async function beginMachines(
  tx: Transaction,
  clusterId: string,
  rows: (Machine & { at: Date })[],
): Promise<void> {
  if (rows.length === 0) return
  // An entry that ended in the same millisecond in which it began did not count, so it is reopened.
  await sql`insert into usage_machines (cluster_id, kind, name, state, from_at, per_hour)
    select ${clusterId}, r.kind, r.name, r.state, r.at, r.per_hour
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r(kind text, name text, state text, at timestamptz, per_hour float8)
    on conflict (cluster_id, kind, name, from_at) do update
      set state = excluded.state, per_hour = excluded.per_hour, to_at = null`.execute(tx)
}

export const lastRates = (db: Queryable, clusterId: string) =>
  db
    .selectFrom('usage_rates')
    .distinctOn('size')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .orderBy('size')
    .orderBy('from_at', 'desc')
    .execute()
/** Adds a price, which replaces one that was set at the same time. */
export async function addRate(tx: Transaction, row: Selectable<Tables['usage_rates']>): Promise<void> {
  await tx
    .deleteFrom('usage_rates')
    .where('cluster_id', '=', row.cluster_id)
    .where('size', '=', row.size)
    .where('from_at', '=', row.from_at)
    .execute()
  await tx.insertInto('usage_rates').values(row).execute()
}
