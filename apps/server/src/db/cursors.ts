import { sql, type SelectQueryBuilder } from 'kysely'
import { fail } from '../fail'

/** Where a page of a list ends: the time and the id of its last row. */
export type Cursor = { at: Date; id: string }

/** From rows of which one more than the page holds was requested: whether that came says whether there is a next page. */
export function pageOf<Row>(
  rows: Row[],
  limit: number,
  endOf: (row: Row) => { at: Date | number; id: string },
): { items: Row[]; next: string | null } {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  if (rows.length <= limit || last === undefined) return { items, next: null }
  const { at, id } = endOf(last)
  return { items, next: `${Number(at)}_${id}` }
}

const LATEST_MS = 8.64e15

export function decodeCursor(cursor: string | undefined): Cursor | undefined {
  if (cursor === undefined) return undefined
  const [, ms = '', id = ''] = /^(\d{1,16})_(\w{1,64})$/.exec(cursor) ?? []
  if (id === '' || Number(ms) > LATEST_MS)
    return fail('bad_input', { fields: { cursor: 'is not a cursor of this list' } })
  return { at: new Date(Number(ms)), id }
}

/** The rows of the pages after this one, newest first. The columns are those that the list is ordered by. */
export const olderThan = (after: Cursor | undefined, at: string, id: string) =>
  after ? sql<boolean>`(${sql.ref(at)}, ${sql.ref(id)}) < (${after.at}, ${after.id})` : sql<boolean>`true`

/** A page of a query, newest first: of the rows of this table, after this cursor. */
export const newestFirst =
  (table: string, limit: number, after: Cursor | undefined) =>
  <DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>) =>
    query
      .where(olderThan(after, `${table}.created_at`, `${table}.id`))
      .orderBy(sql.ref(`${table}.created_at`), 'desc')
      .orderBy(sql.ref(`${table}.id`), 'desc')
      .limit(limit)
