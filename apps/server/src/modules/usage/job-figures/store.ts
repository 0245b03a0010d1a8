import { sql, type RawBuilder } from 'kysely'
import type { Queryable } from '../../../db/database'
import { splitByDay, type Range } from '../ranges'

/** Which jobs are counted: everyone's unless a user is named; someone unknown here is named by account alone. */
export type JobFilter = {
  clusterId?: string | undefined
  userId?: string | undefined
  account?: string | undefined
}

export const matches = ({ clusterId, userId, account }: JobFilter): RawBuilder<boolean> => sql<boolean>`
  ${clusterId === undefined ? sql`true` : sql`cluster_id = ${clusterId}`}
  and ${userId === undefined ? sql`true` : sql`user_id = ${userId}`}
  and ${account === undefined ? sql`true` : sql`account = ${account}`}`

/** Rates with when they end; before the first one, nothing is known. */
const rates = sql`rates as materialized (
  select cluster_id, size, from_at, per_core_hour, per_gpu_hour,
    lead(from_at, 1, 'infinity') over (partition by cluster_id, size order by from_at) as to_at
  from usage_rates
  union all
  select cluster_id, size, '-infinity', null, null, min(from_at) from usage_rates group by 1, 2
)`

const asTime = (date: Date) => sql`${date}::timestamptz`
/** Days are UTC's. */
const midnight = (day: RawBuilder<unknown>) => sql`(${day}::timestamp at time zone 'UTC')`

/**
 * What jobs used in a range, in pieces that each have one price: whole days from the sums that a trigger keeps, and
 * exactly what is not a whole day or has a day's price change in it. `jobs` counts each job once: where it starts, or at
 * the beginning of the range if it runs already.
 */
function pieces(range: Range, filter: JobFilter): RawBuilder<unknown> {
  const { days, edges } = splitByDay(range)
  const firstDay = days.from.toISOString()
  const lastDay = days.to.toISOString()
  const edgeRows = edges.map(({ from, to }) => sql`(${asTime(from)}, ${asTime(to)})`)
  const cutTo = sql`least(j.to_at, j.ended_at, coalesce(r.to_at, 'infinity'))`
  const cutFrom = sql`greatest(j.from_at, j.started_at, coalesce(r.from_at, '-infinity'))`
  return sql`
    with ${rates},
    -- Days in which a price changed.
    repriced as materialized (
      select distinct cluster_id, size, (from_at at time zone 'UTC')::date as day from usage_rates
      where from_at > ${firstDay}::timestamptz and from_at < ${lastDay}::timestamptz
        and from_at at time zone 'UTC' <> date_trunc('day', from_at at time zone 'UTC')
    ),
    -- The price of each whole day, for an equal join: comparing every day with every price takes ten times as long.
    rate_days as materialized (
      select r.cluster_id, r.size, d::date as day, r.per_core_hour, r.per_gpu_hour, x.day is not null as repriced
      from rates r
      cross join lateral generate_series(
        greatest(${firstDay}::timestamptz at time zone 'UTC',
          date_trunc('day', r.from_at at time zone 'UTC' - interval '1 us') + interval '1 day'),
        least(${lastDay}::timestamptz, r.to_at) at time zone 'UTC' - interval '1 us', '1 day') d
      left join repriced x on x.cluster_id = r.cluster_id and x.size = r.size and x.day = d::date
    ),
    -- A site's price changes on all of its clusters at once: what ran then is looked up once for all of them.
    at_midnight as materialized (
      select d.day, j from (select distinct day from repriced) d
      cross join lateral (
        select * from usage_jobs where tstzrange(started_at, ended_at) @> ${midnight(sql`d.day`)} offset 0
      ) j
      where j.started_at < ${midnight(sql`d.day`)}
    ),
    windows(from_at, to_at) as (values ${sql.join(edgeRows)}),
    -- Jobs that lie in what is not a whole day, each with its window.
    cut_jobs as (
      select j.*, w.from_at, w.to_at from windows w
      join usage_jobs j on j.started_at >= w.from_at and j.started_at < w.to_at
      union all
      select j.*, w.from_at, w.to_at from windows w
      join usage_jobs j on tstzrange(j.started_at, j.ended_at) @> w.from_at and j.started_at < w.from_at
      union all
      select j.*, ${midnight(sql`x.day`)}, ${midnight(sql`(x.day + 1)`)} from repriced x
      join usage_jobs j on j.cluster_id = x.cluster_id and j.size = x.size
        and j.started_at >= ${midnight(sql`x.day`)} and j.started_at < ${midnight(sql`(x.day + 1)`)}
      union all
      select j.*, ${midnight(sql`x.day`)}, ${midnight(sql`(x.day + 1)`)} from at_midnight m
      join repriced x on x.day = m.day and x.cluster_id = (m.j).cluster_id and x.size = (m.j).size
      cross join lateral (select (m.j).*) j
    ),
    running as (
      select j.*, greatest(j.started_at, f.seen_at) as until
      from usage_jobs j join usage_feeds f using (cluster_id)
      where j.ended_at is null and j.started_at < ${asTime(range.to)}
    ),
    pieces as (
      select d.day, d.cluster_id, d.user_id, d.account, d.jobs, d.core_ms::float8, d.gpu_ms::float8, d.node_ms::float8,
        r.per_core_hour, r.per_gpu_hour
      from usage_days d
      left join rate_days r on r.cluster_id = d.cluster_id and r.size = d.size and r.day = d.day
      where d.day >= (${firstDay}::timestamptz at time zone 'UTC')::date
        and d.day < (${lastDay}::timestamptz at time zone 'UTC')::date
        and r.repriced is not true

      union all
      select (j.from_at at time zone 'UTC')::date, j.cluster_id, j.user_id, j.account, cut.begins::int,
        cut.ms * j.cores, cut.ms * j.gpus, cut.ms * j.nodes, r.per_core_hour, r.per_gpu_hour
      from cut_jobs j
      left join rates r on r.cluster_id = j.cluster_id and r.size = j.size
        and r.to_at > j.from_at and r.from_at < j.to_at
      cross join lateral (
        select greatest(0, extract(epoch from ${cutTo} - ${cutFrom})::float8 * 1000) as ms,
          j.started_at >= greatest(j.from_at, coalesce(r.from_at, '-infinity'))
            and j.started_at < least(j.to_at, coalesce(r.to_at, 'infinity')) as begins
      ) cut
      where j.ended_at is not null and (cut.ms > 0 or cut.begins)

      union all
      select (p.day), j.cluster_id, j.user_id, j.account,
        case when p.begins = 1 and j.started_at >= ${asTime(range.from)}
          and j.started_at >= coalesce(r.from_at, '-infinity') then 1 else 0 end,
        (p.ms * j.cores)::float8, (p.ms * j.gpus)::float8, (p.ms * j.nodes)::float8, r.per_core_hour, r.per_gpu_hour
      from running j
      left join rates r on r.cluster_id = j.cluster_id and r.size = j.size
        and r.to_at > j.started_at and r.from_at < j.until
      cross join lateral usage_day_parts(
        greatest(j.started_at, ${asTime(range.from)}, coalesce(r.from_at, '-infinity')),
        least(j.until, ${asTime(range.to)}, coalesce(r.to_at, 'infinity'))) p
      where j.until > ${asTime(range.from)}

      union all
      select (${asTime(range.from)} at time zone 'UTC')::date, cluster_id, user_id, account, 1, 0, 0, 0, null, null
      from usage_jobs
      where tstzrange(started_at, ended_at) @> ${asTime(range.from)} and started_at < ${asTime(range.from)}
    ),
    priced as (
      select *, (core_ms * per_core_hour + case when gpu_ms = 0 then 0 else gpu_ms * per_gpu_hour end) / 3600000
        as price
      from pieces where ${matches(filter)}
    )`
}

const figures = sql`
  sum(jobs)::int as jobs,
  sum(core_ms) / 3600000 as core_hours,
  sum(gpu_ms) / 3600000 as gpu_hours,
  sum(node_ms) / 3600000 as node_hours,
  sum(price) as price,
  coalesce(sum(core_ms) filter (where price is null), 0) / 3600000 as unpriced_core_hours`

export type JobFigures = {
  jobs: number
  core_hours: number
  gpu_hours: number
  node_hours: number
  /** Null when nothing of it has a price. */
  price: number | null
  unpriced_core_hours: number
}

export const jobsByAccount = async (db: Queryable, range: Range, filter: JobFilter) =>
  (
    await sql<JobFigures & { user_id: string; account: string }>`
      ${pieces(range, filter)}
      select user_id, case when user_id = '' then account else '' end as account, ${figures}
      from priced group by 1, 2 having sum(jobs) > 0`.execute(db)
  ).rows

export const jobsByCluster = async (db: Queryable, range: Range, filter: JobFilter) =>
  (
    await sql<JobFigures & { cluster_id: string }>`
      ${pieces(range, filter)}
      select cluster_id, ${figures} from priced group by 1 having sum(jobs) > 0`.execute(db)
  ).rows

export const jobsByDay = async (db: Queryable, range: Range, filter: JobFilter) =>
  (
    await sql<JobFigures & { day: Date }>`
      ${pieces(range, filter)}
      select ${midnight(sql`day`)} as day, ${figures} from priced group by day order by day`.execute(db)
  ).rows
