import { sql, type RawBuilder } from 'kysely'
import type { TableQuery } from '@flotilla/contract/clusters/tables'
import type { Database, Queryable, Transaction } from '../../db/database'
import { prepare } from '../../db/connection/prepared'
import { isJobOf, type JobOwner } from '../../db/visible-clusters'

/** With every number in it as wide as the widest, so that n2 comes before n10. */
const natural = (text: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`regexp_replace(regexp_replace(lower(${text}), '(\\d+)', '0000000000\\1', 'g'), '0*(\\d{10})', '\\1', 'g')`

/** The two tables of a cluster that may be very long: written by difference, read by page. */
const tables = {
  nodes: { table: 'cluster_nodes', key: 'name', order: sql`${natural(sql`name`)}, name` },
  queue: { table: 'cluster_queue', key: 'job_id', order: sql`position` },
} as const
export type SnapshotTable = keyof typeof tables

/**
 * `numbered` is text with numbers in it, such as the name of a node; `outcome` the state of a job as
 * people see it; `list` several texts.
 */
export type Columns = Record<string, 'text' | 'numbered' | 'number' | 'date' | 'outcome' | 'list'>

/** Rows that match the filter in the wanted order, with how many there are. Column names come from a fixed list. */
export async function page(
  db: Queryable,
  which: SnapshotTable,
  clusterId: string,
  columns: Columns,
  query: TableQuery,
  only: RawBuilder<boolean> = sql`true`,
) {
  const { table, order } = tables[which]
  const from = sql`from ${sql.table(table)} where cluster_id = ${clusterId} and ${only}`
  const fits = query.filter ? sql`and ${condition(columns, query)}` : sql``
  const inState = query.state === undefined ? sql`` : sql`and ${value('state')} = ${query.state}`
  const matches = sql`${fits} ${inState}`
  const type = query.sort === undefined ? undefined : columns[query.sort]
  const direction = query.descending === 'true' ? sql`desc nulls last` : sql`asc nulls last`
  const first = query.sort !== undefined && type ? sql`${sortKey(query.sort, type)} ${direction},` : sql``
  const rows = await sql<{ data: unknown }>`select data ${from} ${matches} order by ${first} ${order}
    limit ${query.limit} offset ${query.offset}`.execute(db)
  const counts = await sql<{ total: number; matching: number }>`select count(*) as total,
    count(*) filter (where true ${matches}) as matching ${from}`.execute(db)
  const { total = 0, matching = 0 } = counts.rows[0] ?? {}
  return { rows: rows.rows.map(({ data }) => data), total, matching }
}

const value = (column: string) => sql`data->>${sql.lit(column)}`
const outcome = sql`coalesce(${value('outcome')}, ${value('state')})`
/** How the page says it elsewhere: the count of all that ended, and the exit code beside a failure. */
const alsoSaid = [
  sql`case when ${value('state')} = 'completed' then 'ended' end`,
  sql`case when ${outcome} = 'failed' then 'failed exit ' || (${value('exitCode')}) end`,
]
const sortKey = (column: string, type: Columns[string]): RawBuilder<unknown> => {
  if (type === 'numbered') return natural(value(column))
  if (type === 'outcome') return outcome
  return type === 'text' || type === 'list' ? sql`lower(${value(column)})` : sql`(${value(column)})::numeric`
}

const isComparison = (filterType: TableQuery['filterType']) =>
  filterType === 'greaterThan' || filterType === 'lessThan'

/** Without a column every one is checked that the filter can mean something for: times are shown as text of the browser's. */
function condition(columns: Columns, { filter = '', filterType, column }: TableQuery): RawBuilder<unknown> {
  const chosen = column === undefined ? undefined : columns[column]
  const suits = (type: Columns[string]) =>
    isComparison(filterType) ? type === 'number' || type === 'date' : type !== 'date'
  const wanted =
    column !== undefined && chosen
      ? [column]
      : Object.keys(columns).filter((name) => suits(columns[name] ?? 'text'))
  const tests = wanted.flatMap((name) => {
    const type = columns[name] ?? 'text'
    return shownAs(name, type, filterType).map((text) => test(text, type, filter, filterType))
  })
  return sql`(${sql.join(tests, sql` or `)})`
}

/** Everything that stands on the page for this column. */
function shownAs(
  name: string,
  type: Columns[string],
  filterType: TableQuery['filterType'],
): RawBuilder<unknown>[] {
  if (type === 'outcome') return isComparison(filterType) ? [outcome] : [outcome, ...alsoSaid]
  if (type === 'list')
    return [sql`array_to_string(array(select jsonb_array_elements_text(data->${sql.lit(name)})), ', ')`]
  return [value(name)]
}

function test(
  shown: RawBuilder<unknown>,
  type: Columns[string],
  filter: string,
  filterType: TableQuery['filterType'],
): RawBuilder<unknown> {
  const text = sql`lower(coalesce(${shown}, ''))`
  const given = filter.toLowerCase()
  const literal = given.replace(/[\\%_]/g, '\\$&')
  switch (filterType) {
    case 'contains':
      return sql`${text} like ${`%${literal}%`}`
    case 'startsWith':
      return sql`${text} like ${`${literal}%`}`
    case 'endsWith':
      return sql`${text} like ${`%${literal}`}`
    case 'matches':
      return sql`${text} = ${given}`
    case 'greaterThan':
    case 'lessThan': {
      const sign = filterType === 'greaterThan' ? sql`>` : sql`<`
      if (type === 'text' || type === 'outcome' || type === 'list') return sql`${text} ${sign} ${given}`
      if (type === 'numbered') return sql`${natural(shown)} ${sign} ${natural(sql`${given}::text`)}`
      const number = type === 'date' ? dateOf(filter) : Number(filter)
      return Number.isFinite(number) ? sql`(${shown})::numeric ${sign} ${number}` : sql`false`
    }
  }
}

/** Milliseconds as the API gives them, or any usual way to write a date. */
const dateOf = (text: string): number => (/^\d{12,}$/.test(text) ? Number(text) : Date.parse(text))

export type Row = { key: string; position: number; data: unknown }

export async function write(
  tx: Transaction,
  which: SnapshotTable,
  clusterId: string,
  changed: Row[],
  removed: string[],
): Promise<void> {
  const { table, key } = tables[which]
  // A few statements of bounded size, whatever changed.
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

export const loads = (db: Queryable, clusterId: string, since: Date) =>
  db
    .selectFrom('cluster_loads')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .where('time', '>', since)
    .orderBy('time')
    .limit(5000)
    .execute()

/** One point for each piece of time, of those of these clusters that are the busiest now. */
export const loadsOf = async (
  db: Queryable,
  ids: string[],
  { since, pieceMs, most }: { since: Date; pieceMs: number; most: number },
) =>
  (
    await sql<{ cluster_id: string; time: Date; cpus: number; load_avg: number }>`
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

/** Whether the cluster still exists, and is in use if that is required. */
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
/** That it was checked and nothing was new. No one waits for the disk: the next look says it again. */
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

/** Which of these submissions a person made, or are of their jobs. */
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
