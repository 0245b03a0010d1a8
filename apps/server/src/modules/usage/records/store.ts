import { sql, type RawBuilder } from 'kysely'
import { PLANNED_EACH_TIME } from '../../../db/connection/statements'
import { olderThan, type Cursor } from '../../../db/cursors'
import type { Queryable } from '../../../db/database'
import { matches, type JobFilter } from '../job-figures/store'
import type { Range } from '../ranges'

export type JobRow = {
  key: string
  cluster_id: string
  cluster: string | null
  native_id: string
  submission_id: string | null
  user_id: string
  account: string
  job_id: string | null
  name: string
  state: string
  nodes: number
  cores: number
  gpus: number
  node_list: string
  started_at: Date
  ended_at: Date | null
  estimated: boolean
  /** How much of the job's time is inside the range. */
  ms: number
  price: number | null
}

/** The newest jobs that match; `key` distinguishes jobs that started at the same time. */
const found = (
  matching: RawBuilder<unknown>,
  filter: JobFilter,
  limit: number,
  after: Cursor | undefined,
) => sql`
  select * from (
    select *, md5(cluster_id || ' ' || native_id) as key from usage_jobs
    where ${matching} and ${matches(filter)} and ${after ? sql`started_at <= ${after.at}` : sql`true`}
  ) one where ${olderThan(after, 'started_at', 'key')} order by started_at desc, key desc limit ${limit}`

/** The jobs that ran in a range, newest first, with their usage inside it. */
export const jobs = async (
  db: Queryable,
  { from, to }: Range,
  filter: JobFilter,
  limit: number,
  after?: Cursor,
): Promise<JobRow[]> =>
  (
    await sql<JobRow>`${sql.raw(PLANNED_EACH_TIME)}
      with page as (
        select * from (
          (${found(sql`started_at >= ${from} and started_at < ${to}`, filter, limit, after)})
          union all
          (${found(sql`tstzrange(started_at, ended_at) @> ${from}::timestamptz and started_at < ${from}`, filter, limit, after)})
        ) found order by started_at desc, key desc limit ${limit}
      )
      select page.*, f.name as cluster, s.job_id, cut.ms, cost.price
      from page
      left join usage_feeds f using (cluster_id)
      left join submissions s on s.id = page.submission_id
      cross join lateral (
        select greatest(page.started_at, ${from}::timestamptz) as from_at,
          least(coalesce(page.ended_at, greatest(page.started_at, f.seen_at)), ${to}::timestamptz) as to_at
      ) span
      cross join lateral (
        select greatest(0, extract(epoch from span.to_at - span.from_at)::float8 * 1000) as ms
      ) cut
      left join lateral (
        select sum(greatest(0, extract(epoch from least(span.to_at, r.to_at) - greatest(span.from_at, r.from_at)))::float8
          / 3600 * (page.cores * r.per_core_hour + case when page.gpus = 0 then 0 else page.gpus * r.per_gpu_hour end))
          as price
        from (
          select from_at, per_core_hour, per_gpu_hour, lead(from_at, 1, 'infinity') over (order by from_at) as to_at
          from usage_rates x where x.cluster_id = page.cluster_id and x.size = page.size
        ) r where r.from_at < span.to_at and r.to_at > span.from_at
      ) cost on true
      order by page.started_at desc, page.key desc`.execute(db)
  ).rows

/** The periods of a machine or disk in a range, newest first. `ms` is the part inside the range. */
export const periods = async (
  db: Queryable,
  { from, to }: Range,
  { clusterId, kind, name }: { clusterId: string; kind: string; name: string },
  now: Date,
  limit: number,
  after?: Cursor,
) =>
  (
    await sql<{
      state: 'busy' | 'idle' | 'stopped'
      from_at: Date
      to_at: Date | null
      per_hour: number | null
      ms: number
    }>`
      select state, from_at, to_at, per_hour,
        extract(epoch from least(coalesce(to_at, ${now}), ${to}) - greatest(from_at, ${from}))::float8 * 1000 as ms
      from usage_machines
      where cluster_id = ${clusterId} and kind = ${kind} and name = ${name}
        and from_at < least(${to}::timestamptz, ${now}) and coalesce(to_at, 'infinity') > ${from}
        and ${after ? sql`from_at < ${after.at}` : sql`true`}
      order by from_at desc limit ${limit}`.execute(db)
  ).rows

/** The periods for which the records of clusters are incomplete, including now. */
export const gaps = async (
  db: Queryable,
  { from, to }: Range,
  { clusterId, ownerId }: { clusterId?: string | undefined; ownerId?: string | undefined },
  now: Date,
  gapMs: number,
) =>
  (
    await sql<{ cluster_id: string; cluster: string; from_at: Date; to_at: Date; reason: string }>`
      with all_gaps as (
        select g.cluster_id, f.name as cluster, f.owner_id, g.from_at, g.to_at, g.reason
        from usage_gaps g join usage_feeds f using (cluster_id)
        union all
        select f.cluster_id, f.name, f.owner_id, f.seen_at, ${now}::timestamptz,
          coalesce(c.poll_error, 'The queue is not being read.')
        from usage_feeds f join clusters c on c.id = f.cluster_id and c.state = 'available'
        where f.seen_at < ${new Date(now.getTime() - gapMs)}
        union all
        select f.cluster_id, f.name, f.owner_id, f.harvested_to, ${now}::timestamptz, f.harvest_error
        from usage_feeds f join clusters c on c.id = f.cluster_id and c.state = 'available'
        where f.harvest_error is not null and f.harvested_to < ${new Date(now.getTime() - 4 * gapMs)}
      )
      select cluster_id, cluster, greatest(from_at, ${from}) as from_at, least(to_at, ${to}) as to_at, reason
      from all_gaps
      where from_at < ${to} and to_at > ${from}
        and ${clusterId === undefined ? sql`true` : sql`cluster_id = ${clusterId}`}
        and ${ownerId === undefined ? sql`true` : sql`owner_id = ${ownerId}`}
      order by from_at desc limit 500`.execute(db)
  ).rows

/** The names of users by id. */
export const people = (db: Queryable, ids: string[]) =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('users')
        .select(['id', 'username'])
        .select(sql<string>`trim(first_name || ' ' || last_name)`.as('name'))
        .where('id', '=', sql<string>`any(${ids}::text[])`)
        .execute()
export const clusters = (db: Queryable, { ownerId }: { ownerId?: string | undefined }) =>
  db
    .selectFrom('usage_feeds')
    .select(['cluster_id', 'name', 'provider', 'owner_id'])
    .$if(ownerId !== undefined, (query) =>
      query.where('cluster_id', 'in', (sub) =>
        sub
          .selectFrom('clusters')
          .select('id')
          .where('owner_id', '=', ownerId ?? ''),
      ),
    )
    .execute()
