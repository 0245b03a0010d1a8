import { useQueries } from '@tanstack/react-query'
import type { QueryKey } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { PAGE_ROWS, pageQuery, pagesOf } from '../state/table-query'
import type { RowQuery } from '../state/table-query'

export type Piece<Row> = { rows: readonly Row[]; total: number; matching: number }
export type PageQuery = ReturnType<typeof pageQuery>

/** Where a long table gets its rows. The key must be one that live changes invalidate. */
export interface RowSource<Row> {
  key: (query: PageQuery) => QueryKey
  load: (query: PageQuery, options: { repeat: boolean; signal?: AbortSignal }) => Promise<Piece<Row>>
  /** Reports that something the user requested could not be loaded. */
  onError: (error: unknown) => void
  /** Set while there is no live connection; otherwise false. */
  refetchInterval: number | false
}

/** How long after a keystroke the server is queried. */
const QUERY_AFTER_MS = 150

/** The last result, kept while another is loading. */
type Shown<Row> = {
  query: string
  from: number
  rows: readonly (Row | undefined)[]
  count: number
  all: number
}

/** The visible rows, fetched by page. The previous rows stay until the requested ones have arrived. */
export function useServerRows<Row>(source: RowSource<Row>, query: RowQuery, first: number, last: number) {
  const debounced = useDebounced(query)
  const key = JSON.stringify(debounced)
  const pages = pagesOf(first, last)
  const results = useQueries({
    queries: pages.map((page) => {
      const request = pageQuery(debounced, page)
      const queryKey = source.key(request)
      return {
        queryKey,
        queryFn: ({ signal, client }: { signal: AbortSignal; client: Queried }) =>
          source.load(request, { signal, repeat: client.getQueryState(queryKey)?.data !== undefined }),
        refetchInterval: source.refetchInterval,
      }
    }),
  })
  const known = results.find(({ data }) => data)?.data
  const [held, setHeld] = useState<Shown<Row> | null>(null)
  const now: Shown<Row> | null = known
    ? {
        query: key,
        from: (pages[0] ?? 0) * PAGE_ROWS,
        rows: results.flatMap(({ data }): readonly (Row | undefined)[] => data?.rows ?? unknownPage),
        count: known.matching,
        all: known.total,
      }
    : null
  const shown = now ?? held
  // Updated only if its content changed, because each update renders the table again.
  if (now && !(held && isSame(now, held))) setHeld(now)
  return {
    shown,
    error: results.find(({ error }) => error)?.error ?? null,
    isFetching: results.some(({ isFetching }) => isFetching),
    dataUpdatedAt: Math.min(...results.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    refetch: () => Promise.all(results.map(({ refetch }) => refetch())),
  }
}

const unknownPage = Array.from<undefined>({ length: PAGE_ROWS })

type Queried = { getQueryState: (key: QueryKey) => { data?: unknown } | undefined }

const isSame = <Row>(one: Shown<Row>, other: Shown<Row>): boolean =>
  one.query === other.query &&
  one.from === other.from &&
  one.count === other.count &&
  one.all === other.all &&
  one.rows.length === other.rows.length &&
  one.rows.every((row, at) => row === other.rows[at])

/** The first query immediately, later ones after a pause. */
function useDebounced(query: RowQuery): RowQuery {
  const key = JSON.stringify(query)
  const [debounced, setDebounced] = useState({ key, query })
  useEffect(() => {
    if (key === debounced.key) return
    const timer = setTimeout(() => setDebounced({ key, query }), QUERY_AFTER_MS)
    return () => clearTimeout(timer)
  }, [key, query, debounced.key])
  return debounced.query
}
