import type { TableQuery } from '@flotilla/contract/clusters/tables'
import type { TableState } from './table-state'

/** Rows per request. */
export const PAGE_ROWS = 100

export type RowQuery = Partial<Omit<TableQuery, 'offset' | 'limit'>>

/** The table's state as a server query. Defaults are omitted. */
export function toRowQuery({ filter, sort }: TableState): RowQuery {
  const text = filter.text.trim()
  return {
    ...(text && { filter: text, filterType: filter.by }),
    ...(text && filter.in && { column: filter.in }),
    ...(sort && { sort: sort.column }),
    ...(sort?.descending && { descending: 'true' as const }),
  }
}

/** The pages that contain the rows from `first` to `last`; at least the first page, which has the count. */
export function pagesOf(first: number, last: number): number[] {
  const from = Math.floor(Math.max(0, first) / PAGE_ROWS)
  const to = Math.floor(Math.max(0, first, last) / PAGE_ROWS)
  return Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
}

/** Rows per request when all are needed: the server's maximum. */
const WHOLE_ROWS = 500

/** All matching rows, for actions on all of them. A row that moves in the meantime is included once. */
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
