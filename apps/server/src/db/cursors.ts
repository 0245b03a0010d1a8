import { sql, type SelectQueryBuilder } from 'kysely'
import type { Page } from '@flotilla/contract/lists'
import { fail } from '../fail'

/** Where a page of a list ends: the time and the id of its last row. */
export type Cursor = { at: Date; id: string }

const LATEST_MS = 8.64e15
const TEXT_ID = /^\w{1,64}$/
/** The ids of rows that are numbered. */
export const NUMBER_ID = /^\d{1,15}$/

function decodeCursor(cursor: string, isId: RegExp): Cursor {
  const [, ms = '', id = ''] = /^(\d{1,16})_(\w+)$/.exec(cursor) ?? []
  if (!isId.test(id) || Number(ms) > LATEST_MS)
    return fail('bad_input', { fields: { cursor: 'is not a cursor of this list' } })
  return { at: new Date(Number(ms)), id }
}

/**
 * Reads one page of a list. `read` gets a limit of one row more than the page has: if there is one, so is a next page.
 */
export async function readPage<Row>(
  { limit, cursor }: Page,
  read: (limit: number, after: Cursor | undefined) => Promise<Row[]>,
  endOf: (row: Row) => { at: Date | number; id: string | number },
  isId = TEXT_ID,
): Promise<{ items: Row[]; next: string | null }> {
  const rows = await read(limit + 1, cursor === undefined ? undefined : decodeCursor(cursor, isId))
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  if (rows.length <= limit || last === undefined) return { items, next: null }
  const { at, id } = endOf(last)
  return { items, next: `${Number(at)}_${id}` }
}

/** The end of a page that `newestFirst` has ordered. */
export const byCreation = ({ created_at, id }: { created_at: Date; id: string }) => ({ at: created_at, id })

/** The rows of the pages after this one, newest first. The columns are those that the list is ordered by. */
export const olderThan = (after: Cursor | undefined, at: string, id: string) =>
  after ? sql<boolean>`(${sql.ref(at)}, ${sql.ref(id)}) < (${after.at}, ${after.id})` : sql<boolean>`true`

/** Limits a query to one page of this table's rows after the cursor, newest first. */
export const newestFirst =
  (table: string, limit: number, after: Cursor | undefined) =>
  <DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>) =>
    query
      .where(olderThan(after, `${table}.created_at`, `${table}.id`))
      .orderBy(sql.ref(`${table}.created_at`), 'desc')
      .orderBy(sql.ref(`${table}.id`), 'desc')
      .limit(limit)
