import { sql, type RawBuilder } from 'kysely'
import type { Queryable } from '../../../db/database'
import { splitByDay, type Range } from '../ranges'

/** Whose clusters are counted: everyone's unless an owner is named. */
export type MachineFilter = { clusterId?: string | undefined; ownerId?: string | undefined }

const asTime = (date: Date) => sql`${date}::timestamptz`

/**
 * What machines and disks did in a range: whole days from the sums that a trigger keeps, the rest exactly. What exists now
 * counts until now on clusters in use, and until it was last seen on those that cannot be reached.
 */
function pieces(
  range: Range,
  { clusterId, ownerId }: MachineFilter,
  now: Date,
  sums: 'usage_machine_days' | 'usage_cluster_days',
): RawBuilder<unknown> {
  const { days, edges } = splitByDay(range)
  const firstDay = days.from.toISOString()
  const lastDay = days.to.toISOString()
  const edgeRows = edges.map(({ from, to }) => sql`(${asTime(from)}, ${asTime(to)})`)
  return sql`
    with windows(from_at, to_at) as (values ${sql.join(edgeRows)}),
    pieces as (
      select day, cluster_id, kind, ${sums === 'usage_machine_days' ? sql`name` : sql`'' as name`}, state, ms::float8 as ms, unpriced_ms::float8 as unpriced_ms,
        case when ms = unpriced_ms then null else price end as price
      from ${sql.table(sums)}
      where day >= (${firstDay}::timestamptz at time zone 'UTC')::date
        and day < (${lastDay}::timestamptz at time zone 'UTC')::date

      union all
      select (w.from_at at time zone 'UTC')::date, m.cluster_id, m.kind, m.name, m.state, cut.ms,
        case when m.per_hour is null then cut.ms else 0 end, cut.ms * m.per_hour / 3600000
      from windows w
      join usage_machines m on tstzrange(m.from_at, m.to_at) && tstzrange(w.from_at, w.to_at) and m.to_at is not null
      cross join lateral (
        select extract(epoch from least(w.to_at, m.to_at) - greatest(w.from_at, m.from_at))::float8 * 1000 as ms
      ) cut

      union all
      select p.day, m.cluster_id, m.kind, m.name, m.state, p.ms::float8,
        case when m.per_hour is null then p.ms else 0 end, p.ms * m.per_hour / 3600000
      from usage_machines m
      cross join lateral usage_day_parts(
        greatest(m.from_at, ${asTime(range.from)}), least(${asTime(now)}, ${asTime(range.to)})) p
      where m.to_at is null and m.from_at < least(${asTime(now)}, ${asTime(range.to)})
        and ${asTime(range.from)} < ${asTime(now)}
    ),
    chosen as (
      select * from pieces where ${clusterId === undefined ? sql`true` : sql`cluster_id = ${clusterId}`}
        and ${ownerId === undefined ? sql`true` : sql`cluster_id in (select id from clusters where owner_id = ${ownerId})`}
    )`
}

type Figures = { ms: number; unpriced_ms: number; price: number | null }

export const machinesByCluster = async (db: Queryable, range: Range, filter: MachineFilter, now: Date) =>
  (
    await sql<
      Figures & { cluster_id: string; kind: 'machine' | 'disk' | 'other'; state: 'busy' | 'idle' | 'stopped' }
    >`
      ${pieces(range, filter, now, 'usage_cluster_days')}
      select cluster_id, kind, state, sum(ms) as ms, sum(unpriced_ms) as unpriced_ms, sum(price) as price
      from chosen group by 1, 2, 3`.execute(db)
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
      ${pieces(range, filter, now, 'usage_machine_days')}
      select kind, name, coalesce(sum(ms) filter (where state = 'busy'), 0) as busy_ms,
        coalesce(sum(ms) filter (where state = 'idle'), 0) as idle_ms,
        coalesce(sum(ms) filter (where state = 'stopped'), 0) as stopped_ms,
        sum(unpriced_ms) as unpriced_ms, sum(price) as price
      from chosen group by 1, 2 order by kind = 'disk', kind, name`.execute(db)
  ).rows

export const machinesByDay = async (db: Queryable, range: Range, filter: MachineFilter, now: Date) =>
  (
    await sql<{ day: Date; price: number | null }>`
      ${pieces(range, filter, now, 'usage_cluster_days')}
      select (day::timestamp at time zone 'UTC') as day, sum(price) as price from chosen group by 1`.execute(
      db,
    )
  ).rows
