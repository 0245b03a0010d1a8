import { sql, type RawBuilder } from 'kysely'
import { PLANNED_EACH_TIME } from '../../../db/connection/statements'
import type { Queryable } from '../../../db/database'
import { splitRange, type Range, type SumPeriod } from '../ranges'
import { asTime, inRanges, windows } from '../sums/store'

/**
 * The jobs to count. Without a user id, those of all users; an empty user id and an account stand for an account that
 * belongs to no known user.
 */
export type JobFilter = {
  clusterId?: string | undefined
  userId?: string | undefined
  account?: string | undefined
  /** Only for queries of single jobs. */
  node?: string | undefined
}

export const matches = ({ clusterId, userId, account, node }: JobFilter): RawBuilder<boolean> => sql<boolean>`
  ${clusterId === undefined ? sql`true` : sql`cluster_id = ${clusterId}`}
  and ${userId === undefined ? sql`true` : sql`user_id = ${userId}`}
  and ${account === undefined ? sql`true` : sql`account = ${account}`}
  and ${node === undefined ? sql`true` : sql`usage_ran_on(node_list, ${node})`}`

const who = sql`usage_who(user_id, account)`
const matchesSum = ({ clusterId, userId, account = '' }: JobFilter): RawBuilder<boolean> => sql<boolean>`
  ${clusterId === undefined ? sql`true` : sql`cluster_id = ${clusterId}`}
  and ${userId === undefined ? sql`true` : sql`who = usage_who(${userId}, ${account})`}`

type Group = 'cluster' | 'account' | 'day'

/** The stored sums that have exactly the dimensions of the query. */
function sumsBy(group: Group, { clusterId, userId }: JobFilter): string {
  const byCluster = clusterId !== undefined || group === 'cluster'
  const byUser = userId !== undefined || group === 'account'
  return `${byCluster ? '-cluster' : ''}${byUser ? '-user' : ''}`
}

/**
 * What jobs used in a range: whole months, thirds of months and days from the sums that triggers maintain, with changes
 * not folded into them yet, and the edges from single jobs. `jobs` counts each job once: where it starts, or at the
 * beginning of the range if it is running already.
 */
function pieces(range: Range, filter: JobFilter, group: Group): RawBuilder<unknown> {
  const { sums, edges, whole } = splitRange(range, { byDay: group === 'day' })
  const level = sumsBy(group, filter)
  const summed = (period: SumPeriod) => sql`
    select period as day, cluster_id, who, jobs, core_ms, gpu_ms, node_ms, price, unpriced_core_ms
    from usage_job_sums where level = ${sql.lit(period + level)} and ${inRanges('period', sums[period])} and ${matchesSum(filter)}`
  const cutTo = sql`least(j.to_at, j.ended_at, r.to_at)`
  const cutFrom = sql`greatest(j.from_at, j.started_at, r.from_at)`
  const price = sql`(j.cores * r.per_core_hour + case when j.gpus = 0 then 0 else j.gpus * r.per_gpu_hour end)`
  return sql`${sql.raw(PLANNED_EACH_TIME)}
    with ${windows(edges)},
    -- Ended jobs in the edges, each with its window.
    cut_jobs as (
      select j.*, w.from_at, w.to_at, w.sign from windows w
      join usage_jobs j on j.started_at >= w.from_at and j.started_at < w.to_at
      where j.ended_at is not null and ${matches(filter)}
      union all
      select j.*, w.from_at, w.to_at, w.sign from windows w
      join usage_jobs j on tstzrange(j.started_at, j.ended_at) @> w.from_at and j.started_at < w.from_at
      where j.ended_at is not null and ${matches(filter)}
    ),
    -- Few prices apply to a window, so few are joined with each job.
    window_prices as materialized (
      select w.from_at as window_from, r.* from windows w
      join usage_price_spans r on r.to_at > w.from_at and r.from_at < w.to_at
    ),
    running as (
      select j.*, greatest(j.started_at, f.seen_at) as until
      from usage_jobs j join usage_feeds f using (cluster_id)
      where j.ended_at is null and j.started_at < ${asTime(range.to)} and ${matches(filter)}
    ),
    sums as (
      ${summed('month')}
      union all
      ${summed('third')}
      union all
      ${summed('day')}
      union all
      select day, cluster_id, who, jobs, core_ms, gpu_ms, node_ms, price, unpriced_core_ms
      from usage_job_deltas where ${inRanges('day', [whole])} and ${matchesSum(filter)}
    ),
    single as (
      select (j.from_at at time zone 'UTC')::date as day, j.cluster_id, ${who} as who, j.sign * cut.begins::int as jobs,
        cut.ms * j.cores as core_ms, cut.ms * j.gpus as gpu_ms, cut.ms * j.nodes as node_ms,
        cut.ms * ${price} as price
      from cut_jobs j
      left join window_prices r on r.cluster_id = j.cluster_id and r.size = j.size and r.window_from = j.from_at
      cross join lateral (
        select j.sign * greatest(0, extract(epoch from ${cutTo} - ${cutFrom})::float8 * 1000) as ms,
          j.started_at >= greatest(j.from_at, r.from_at) and j.started_at < least(j.to_at, r.to_at) as begins
      ) cut
      where cut.ms <> 0 or cut.begins

      union all
      select p.day, j.cluster_id, ${who},
        case when p.begins = 1 and j.started_at >= greatest(${asTime(range.from)}, r.from_at) then 1 else 0 end,
        (p.ms * j.cores)::float8, (p.ms * j.gpus)::float8, (p.ms * j.nodes)::float8, p.ms * ${price}
      from running j
      left join usage_price_spans r on r.cluster_id = j.cluster_id and r.size = j.size
      cross join lateral (
        select greatest(j.started_at, ${asTime(range.from)}, r.from_at) as from_at,
          least(j.until, ${asTime(range.to)}, r.to_at) as to_at
      ) cut
      cross join lateral ${
        group === 'day'
          ? sql`usage_day_parts(cut.from_at, cut.to_at)`
          : sql`(select null::date as day, 1 as begins, extract(epoch from cut.to_at - cut.from_at)::float8 * 1000 as ms)`
      } p
      where cut.from_at < cut.to_at or (cut.from_at = j.started_at and cut.from_at = cut.to_at)

      union all
      select (${asTime(range.from)} at time zone 'UTC')::date, cluster_id, ${who}, 1, 0, 0, 0, null
      from usage_jobs
      where tstzrange(started_at, ended_at) @> ${asTime(range.from)} and started_at < ${asTime(range.from)}
        and ${matches(filter)}
    ),
    pieces as (
      ${grouped(
        group,
        'sums',
        sql`sum(jobs)::float8 as jobs, sum(core_ms)::float8 as core_ms, sum(gpu_ms)::float8 as gpu_ms,
        sum(node_ms)::float8 as node_ms, sum(price)::float8 as price,
        sum(unpriced_core_ms)::float8 as unpriced_core_ms`,
      )}
      union all
      ${grouped(
        group,
        'single',
        sql`sum(jobs)::float8, sum(core_ms), sum(gpu_ms), sum(node_ms), coalesce(sum(price), 0),
        coalesce(sum(core_ms) filter (where price is null), 0)`,
      )}
    )`
}

const keys = { cluster: sql`cluster_id`, account: sql`who`, day: sql`day` }
const grouped = (group: Group, from: 'sums' | 'single', figures: RawBuilder<unknown>) =>
  sql`select ${keys[group]} as key, ${figures} from ${sql.table(from)} group by 1`

export type JobFigures = {
  jobs: number
  core_hours: number
  gpu_hours: number
  node_hours: number
  /** Null if no part has a price. */
  price: number | null
  unpriced_core_hours: number
}

const figures = sql`
  sum(jobs) as jobs,
  sum(core_ms) / 3600000 as core_hours,
  sum(gpu_ms) / 3600000 as gpu_hours,
  sum(node_ms) / 3600000 as node_hours,
  -- No usage costs nothing, even without a price. Less than half a millisecond is a rounding error.
  case when sum(core_ms) < 0.5 or sum(core_ms - unpriced_core_ms) > 0.5 then sum(price) / 3600000 end as price,
  sum(unpriced_core_ms) / 3600000 as unpriced_core_hours`

export const jobsByAccount = async (db: Queryable, range: Range, filter: JobFilter) =>
  (
    await sql<JobFigures & { user_id: string; account: string }>`
      ${pieces(range, filter, 'account')}
      select case when key like 'user %' then substr(key, 6) else '' end as user_id,
        case when key like 'account %' then substr(key, 9) else '' end as account, ${figures}
      from pieces group by key having sum(jobs) > 0`.execute(db)
  ).rows

export const jobsByCluster = async (db: Queryable, range: Range, filter: JobFilter) =>
  (
    await sql<JobFigures & { cluster_id: string }>`
      ${pieces(range, filter, 'cluster')}
      select key as cluster_id, ${figures} from pieces group by key having sum(jobs) > 0`.execute(db)
  ).rows

export const jobsByDay = async (db: Queryable, range: Range, filter: JobFilter) =>
  (
    await sql<JobFigures & { day: Date }>`
      ${pieces(range, filter, 'day')}
      select key::timestamp at time zone 'UTC' as day, ${figures} from pieces group by key order by key`.execute(
      db,
    )
  ).rows
