import { sql, type RawBuilder } from 'kysely'
import { PLANNED_EACH_TIME } from '../../../db/connection/statements'
import type { Queryable } from '../../../db/database'
import { splitRange, type Range, type SumPeriod } from '../ranges'
import { asTime, inRanges, windows } from '../sums/store'

/** The clusters to count: all of them unless an owner is given. */
export type MachineFilter = { clusterId?: string | undefined; ownerId?: string | undefined }

type Group = 'cluster' | 'name' | 'day'

const matches = ({ clusterId, ownerId }: MachineFilter): RawBuilder<boolean> => sql<boolean>`
  ${clusterId === undefined ? sql`true` : sql`cluster_id = ${clusterId}`}
  and ${ownerId === undefined ? sql`true` : sql`cluster_id in (select id from clusters where owner_id = ${ownerId})`}`

function sumsBy(group: Group, { clusterId, ownerId }: MachineFilter): string {
  if (group === 'name') return '-cluster-name'
  return group === 'cluster' || clusterId !== undefined || ownerId !== undefined ? '-cluster' : ''
}

/**
 * What machines and disks did in a range: whole months, thirds of months and days from the sums that triggers maintain,
 * with changes not folded into them yet, and the edges exactly. What exists now counts until now.
 */
function pieces(range: Range, filter: MachineFilter, now: Date, group: Group): RawBuilder<unknown> {
  const { sums, edges, whole } = splitRange(range, { byDay: group === 'day' })
  const level = sumsBy(group, filter)
  const until = range.to < now ? range.to : now
  const summed = (period: SumPeriod) => sql`
    select period as day, cluster_id, kind, name, state, ms, unpriced_ms, price
    from usage_machine_sums where level = ${sql.lit(period + level)} and ${inRanges('period', sums[period])} and ${matches(filter)}`
  return sql`${sql.raw(PLANNED_EACH_TIME)}
    with ${windows(edges)},
    sums as (
      ${summed('month')}
      union all
      ${summed('third')}
      union all
      ${summed('day')}
      union all
      select day, cluster_id, kind, name, state, ms, unpriced_ms, price
      from usage_machine_deltas where ${inRanges('day', [whole])} and ${matches(filter)}
    ),
    -- Ended rows in the edges, and rows that have not ended.
    single as (
      select (w.from_at at time zone 'UTC')::date as day, m.cluster_id, m.kind, m.name, m.state, m.per_hour,
        w.sign * extract(epoch from least(w.to_at, m.to_at) - greatest(w.from_at, m.from_at))::float8 * 1000 as ms
      from windows w
      join usage_machines m on tstzrange(m.from_at, m.to_at) && tstzrange(w.from_at, w.to_at) and m.to_at is not null
      where ${matches(filter)}

      union all
      ${
        group === 'day'
          ? openByDay(range, until, filter)
          : sql`
      select null::date, cluster_id, kind, name, state, per_hour,
        extract(epoch from ${asTime(until)} - greatest(from_at, ${asTime(range.from)}))::float8 * 1000
      from usage_machines where to_at is null and from_at < ${asTime(until)} and ${asTime(range.from)} < ${asTime(until)}
        and ${matches(filter)}`
      }
    ),
    pieces as (
      select day, cluster_id, kind, name, state, ms::float8 as ms, unpriced_ms::float8 as unpriced_ms,
        case when ms = unpriced_ms then null else price::float8 end as price
      from (
        select ${keys[group].columns}, sum(ms) as ms, sum(unpriced_ms) as unpriced_ms, sum(price) as price
        from sums group by ${keys[group].by}
      ) summed
      union all
      select day, cluster_id, kind, name, state, ms, case when per_hour is null then ms else 0 end, ms * per_hour
      from single
    )`
}

const keys = {
  cluster: {
    columns: sql`null::date as day, cluster_id, kind, '' as name, state`,
    by: sql`cluster_id, kind, state`,
  },
  name: { columns: sql`null::date as day, '' as cluster_id, kind, name, state`, by: sql`kind, name, state` },
  day: { columns: sql`day, '' as cluster_id, '' as kind, '' as name, '' as state`, by: sql`day` },
}

/**
 * The price of what exists now, by day. What began before a day counts for all of it, so a running sum is enough; what
 * began on the day is counted separately.
 */
const openByDay = (range: Range, until: Date, filter: MachineFilter) => sql`
  (with days as (
    select d::date as day, greatest(d at time zone 'UTC', ${asTime(range.from)}) as from_at,
      least((d + interval '1 day') at time zone 'UTC', ${asTime(until)}) as to_at
    from generate_series(date_trunc('day', ${asTime(range.from)} at time zone 'UTC'),
      ${asTime(until)} at time zone 'UTC' - interval '1 us', '1 day') d
  ), open as (
    select (from_at at time zone 'UTC')::date as day, from_at, per_hour from usage_machines
    where to_at is null and ${matches(filter)}
  ), counted as (
    select d.day, d.from_at, d.to_at, sum(o.per_hour) over (order by d.day) as per_hour
    from days d left join (
      select greatest(day + 1, (select min(day) from days)) as day, sum(per_hour) as per_hour from open group by 1
    ) o on o.day = d.day
    union all
    select d.day, greatest(d.from_at, o.from_at), d.to_at, o.per_hour from days d join open o on o.day = d.day
  )
  select day, '', '', '', '', per_hour, extract(epoch from to_at - from_at)::float8 * 1000 from counted
  where from_at < to_at)`

// Less than half a millisecond is a rounding error: at the ends of a range, the part of a day that lies outside is
// subtracted.
const wasThere = sql`sum(ms) > 0.5`
const knownPrice = sql`case when sum(ms - unpriced_ms) > 0.5 then sum(price) / 3600000 end`

type Figures = { ms: number; unpriced_ms: number; price: number | null }

export const machinesByCluster = async (db: Queryable, range: Range, filter: MachineFilter, now: Date) =>
  (
    await sql<
      Figures & { cluster_id: string; kind: 'machine' | 'disk' | 'other'; state: 'busy' | 'idle' | 'stopped' }
    >`
      ${pieces(range, filter, now, 'cluster')}
      select cluster_id, kind, state, sum(ms) as ms, sum(unpriced_ms) as unpriced_ms, ${knownPrice} as price
      from pieces group by 1, 2, 3 having ${wasThere}`.execute(db)
  ).rows

export const machinesByName = async (db: Queryable, range: Range, filter: MachineFilter, now: Date) =>
  (
    await sql<{
      kind: 'machine' | 'disk' | 'other'
      name: string
      busy_ms: number
      idle_ms: number
      stopped_ms: number
      unpriced_ms: number
      price: number | null
    }>`
      ${pieces(range, filter, now, 'name')}
      select kind, name, coalesce(sum(ms) filter (where state = 'busy'), 0) as busy_ms,
        coalesce(sum(ms) filter (where state = 'idle'), 0) as idle_ms,
        coalesce(sum(ms) filter (where state = 'stopped'), 0) as stopped_ms,
        sum(unpriced_ms) as unpriced_ms, ${knownPrice} as price
      from pieces group by 1, 2 having ${wasThere} order by kind = 'disk', kind, name`.execute(db)
  ).rows

export const machinesByDay = async (db: Queryable, range: Range, filter: MachineFilter, now: Date) =>
  (
    await sql<{ day: Date; price: number | null }>`
      ${pieces(range, filter, now, 'day')}
      select (day::timestamp at time zone 'UTC') as day, sum(price) / 3600000 as price from pieces group by 1`.execute(
      db,
    )
  ).rows
