import { sql, type RawBuilder } from 'kysely'
import type { TableQuery } from '@flotilla/contract/clusters/tables'
import { parseDuration } from '@flotilla/contract/durations'
import type { Queryable } from '../../../db/database'

/** Pads every number in a text to the same width, so that n2 sorts before n10. */
const natural = (text: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`regexp_replace(regexp_replace(lower(${text}), '(\\d+)', '0000000000\\1', 'g'), '0*(\\d{10})', '\\1', 'g')`

/** The two tables of a cluster that may be very long: written by difference and read by page. */
export const tables = {
  nodes: { table: 'cluster_nodes', key: 'name', order: sql`${natural(sql`name`)}, name` },
  queue: { table: 'cluster_queue', key: 'job_id', order: sql`position` },
} as const
export type SnapshotTable = keyof typeof tables

/**
 * `numbered` is text that contains numbers, such as the name of a node; `outcome` the state of a job as users see it;
 * `list` several texts; `duration` seconds, shown and typed with units; `memory` megabytes, shown and typed as
 * gigabytes. `of` and `free` name the column that is shown next to it: the total, or the free part. Filters of all
 * columns skip `hidden` ones, which no page shows.
 */
type ColumnType = 'text' | 'numbered' | 'number' | 'date' | 'outcome' | 'list' | 'duration' | 'memory'
export type Columns = Record<
  string,
  | ColumnType
  | { type: 'number'; of: string }
  | { type: 'memory'; free: string }
  | { type: 'number'; hidden: true }
>
const typeOf = (column: Columns[string] | undefined): ColumnType =>
  typeof column === 'object' ? column.type : (column ?? 'text')

/** The rows that match the filter in the requested order, and their counts. Column names come from a fixed list. */
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
  const direction = query.descending === 'true' ? sql`desc nulls last` : sql`asc nulls last`
  const first =
    query.sort !== undefined && columns[query.sort]
      ? sql`${sortKey(query.sort, typeOf(columns[query.sort]))} ${direction},`
      : sql``
  // A single statement, so that rows and counts are consistent.
  const { rows: found } = await sql<{ rows: unknown[]; total: number; matching: number }>`select
    (select coalesce(jsonb_agg(data), '[]') from
      (select data ${from} ${matches} order by ${first} ${order} limit ${query.limit} offset ${query.offset}) page) as rows,
    count(*) as total, count(*) filter (where true ${matches}) as matching ${from}`.execute(db)
  const { rows = [], total = 0, matching = 0 } = found[0] ?? {}
  return { rows, total, matching }
}

const value = (column: string) => sql`data->>${sql.lit(column)}`
/** States such as 'timed_out' are shown as two words. */
const outcome = sql`replace(coalesce(${value('outcome')}, ${value('state')}), '_', ' ')`
/** Other texts that pages show for a state: the count of ended jobs, and the exit code next to a failure. */
const alsoShown = [
  sql`case when ${value('state')} = 'completed' then 'ended' end`,
  sql`case when ${outcome} = 'failed' then 'failed exit ' || (${value('exitCode')}) end`,
]
const sortKey = (column: string, type: ColumnType): RawBuilder<unknown> => {
  if (type === 'numbered') return natural(value(column))
  if (type === 'outcome') return outcome
  return type === 'text' || type === 'list' ? sql`lower(${value(column)})` : sql`(${value(column)})::numeric`
}

const isComparison = (filterType: TableQuery['filterType']) =>
  filterType === 'greaterThan' || filterType === 'lessThan'

/**
 * Without a column, comparisons check only numeric columns, and other filters check every column except times, which
 * each browser formats itself.
 */
function condition(columns: Columns, { filter = '', filterType, column }: TableQuery): RawBuilder<unknown> {
  const suits = (each: Columns[string] | undefined) => {
    if (typeof each === 'object' && 'hidden' in each) return false
    return isComparison(filterType) ? typeOf(each) === 'number' : each !== 'date'
  }
  const wanted =
    column !== undefined && columns[column]
      ? [column]
      : Object.keys(columns).filter((name) => suits(columns[name]))
  const tests = wanted.flatMap((name) => {
    const type = typeOf(columns[name])
    if (isComparison(filterType)) return compare(name, type, filter, filterType)
    const texts = shownAs(name, columns[name] ?? 'text').map((shown) => test(shown, filter, filterType))
    const number = column === undefined || filterType !== 'matches' ? Number.NaN : numberOf(type, filter)
    return Number.isFinite(number) ? [...texts, sql`(${value(name)})::numeric = ${number}`] : texts
  })
  return sql`(${sql.join(tests, sql` or `)})`
}

/** All texts that the page shows for this column. */
function shownAs(name: string, column: Columns[string]): RawBuilder<unknown>[] {
  if (typeof column === 'object') {
    const itself = shownAs(name, column.type)
    if ('of' in column) return [...itself, besideTotal(name, column.of)]
    return 'free' in column ? [...itself, usedMemory(name, column.free)] : itself
  }
  if (column === 'outcome') return [outcome, ...alsoShown]
  if (column === 'list')
    return [sql`array_to_string(array(select jsonb_array_elements_text(data->${sql.lit(name)})), ', ')`]
  if (column === 'duration') return shownDuration(sql`(${value(name)})::bigint`)
  if (column === 'memory') return [sql`${gigabytes(sql`(${value(name)})::numeric`)} || ' gb'`]
  return [value(name)]
}

const besideTotal = (name: string, of: string) => sql`(${value(name)}) || ' of ' || (${value(of)})`
const usedMemory = (name: string, free: string) => {
  const [total, left] = [sql`(${value(name)})::numeric`, sql`(${value(free)})::numeric`]
  return sql`${gigabytes(sql`(${total} - ${left})`)} || ' of ' || ${gigabytes(total)} || ' gb'`
}

/** Formats durations like `limitText` and `clockText` of the contract. */
const shownDuration = (seconds: RawBuilder<unknown>): RawBuilder<unknown>[] => {
  const part = (count: RawBuilder<unknown>, unit: string) =>
    sql`case when ${count} > 0 then ${count} || ${sql.lit(` ${unit}`)} end`
  const parts = [
    part(sql`(${seconds} / 86400)`, 'd'),
    part(sql`(${seconds} / 3600 % 24)`, 'h'),
    part(sql`(${seconds} / 60 % 60)`, 'min'),
    part(sql`(${seconds} % 60)`, 's'),
  ]
  return [
    sql`case when ${seconds} is null then 'none' else concat_ws(' ', ${sql.join(parts)}) end`,
    sql`to_char(make_interval(secs => ${seconds}), 'HH24:MI:SS')`,
  ]
}
/** Below 10 GB with one decimal, as on the page. */
const gigabytes = (megabytes: RawBuilder<unknown>) =>
  sql`round(${megabytes} / 1024, case when ${megabytes} < 10240 then 1 else 0 end)`

function test(
  shown: RawBuilder<unknown>,
  filter: string,
  filterType: TableQuery['filterType'],
): RawBuilder<unknown> {
  const text = sql`lower(coalesce(${shown}, ''))`
  const given = filter.toLowerCase()
  const literal = given.replace(/[\\%_]/g, '\\$&')
  if (filterType === 'startsWith') return sql`${text} like ${`${literal}%`}`
  if (filterType === 'endsWith') return sql`${text} like ${`%${literal}`}`
  return filterType === 'matches' ? sql`${text} = ${given}` : sql`${text} like ${`%${literal}%`}`
}

function compare(
  name: string,
  type: ColumnType,
  filter: string,
  filterType: TableQuery['filterType'],
): RawBuilder<unknown> {
  const sign = filterType === 'greaterThan' ? sql`>` : sql`<`
  if (type === 'numbered') return sql`${natural(value(name))} ${sign} ${natural(sql`${filter}::text`)}`
  if (type === 'text' || type === 'outcome' || type === 'list') {
    const [shown = value(name)] = shownAs(name, type)
    return sql`lower(coalesce(${shown}, '')) ${sign} ${filter.toLowerCase()}`
  }
  const number = numberOf(type, filter)
  return Number.isFinite(number) ? sql`(${value(name)})::numeric ${sign} ${number}` : sql`false`
}

/** The number as it is stored, or NaN. */
function numberOf(type: ColumnType, text: string): number {
  if (type === 'date') return dateOf(text)
  if (type === 'duration') return parseDuration(text) ?? Number.NaN
  const number = text.trim() === '' ? Number.NaN : Number(text.replace(/ ?gb$/i, ''))
  return type === 'memory' ? number * 1024 : type === 'number' ? number : Number.NaN
}

/** Accepts milliseconds as the API returns them, or any common date format. */
const dateOf = (text: string): number => (/^\d{12,}$/.test(text) ? Number(text) : Date.parse(text))
