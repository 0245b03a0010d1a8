import type { TableQuery } from '@flotilla/contract/clusters/tables'
import type { TableState } from './table-state'

/** Rows are fetched so many at a time. */
export const PAGE_ROWS = 100

export type RowQuery = Partial<Omit<TableQuery, 'offset' | 'limit'>>

/** What a person set on the table, as the server is asked for it. What is as by default is left out. */
export function toRowQuery({ filter, sort }: TableState): RowQuery {
  const text = filter.text.trim()
  return {
    ...(text && { filter: text, filterType: filter.by }),
    ...(text && filter.in && { column: filter.in }),
    ...(sort && { sort: sort.column }),
    ...(sort?.descending && { descending: 'true' as const }),
  }
}

/** The pages that hold the rows from `first` to `last`; the first page at least, as it tells how many there are. */
export function pagesOf(first: number, last: number): number[] {
  const from = Math.floor(Math.max(0, first) / PAGE_ROWS)
  const to = Math.floor(Math.max(0, first, last) / PAGE_ROWS)
  return Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
}

/** So many at a time when all of them are wanted: the most that the server gives at once. */
const WHOLE_ROWS = 500

/** Every row that fits, wherever it is: for who acts on all of them. A row that moves meanwhile is here once. */
export async function loadAll<Row>(
  query: RowQuery,
  load: (
    query: RowQuery & { offset: number; limit: number },
  ) => Promise<{ rows: readonly Row[]; matching: number }>,
  idOf: (row: Row) => string,
): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>()
  for (let offset = 0, matching = 1; offset < matching; offset += WHOLE_ROWS) {
    const piece = await load({ ...query, offset, limit: WHOLE_ROWS })
    for (const row of piece.rows) found.set(idOf(row), row)
    matching = piece.matching
  }
  return found
}

export const pageQuery = (query: RowQuery, page: number) => ({
  ...query,
  offset: page * PAGE_ROWS,
  limit: PAGE_ROWS,
})
