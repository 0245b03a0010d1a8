import { useQueries } from '@tanstack/react-query'
import type { QueryKey } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { PAGE_ROWS, pageQuery, pagesOf } from '../state/table-query'
import type { RowQuery } from '../state/table-query'

export type Piece<Row> = { rows: readonly Row[]; total: number; matching: number }
export type PageQuery = ReturnType<typeof pageQuery>

/** Where a long table gets its rows. The key must be one that live changes reach. */
export interface RowSource<Row> {
  key: (query: PageQuery) => QueryKey
  load: (query: PageQuery, options: { repeat: boolean; signal?: AbortSignal }) => Promise<Piece<Row>>
  /** Tells the person that something they asked for here could not be loaded. */
  onError: (error: unknown) => void
  /** Without a live connection; false with one. */
  refetchInterval: number | false
}

/** How long after a key the server is asked: the key itself waits for nobody. */
const ASK_AFTER_MS = 150

/** What was last shown, kept while something else is on its way. */
type Shown<Row> = {
  query: string
  from: number
  rows: readonly (Row | undefined)[]
  count: number
  all: number
}

/** The rows in sight, fetched by pages. What was there stays until what was asked for has come. */
export function useServerRows<Row>(source: RowSource<Row>, query: RowQuery, first: number, last: number) {
  const debounced = useDebounced(query)
  const key = JSON.stringify(debounced)
  const pages = pagesOf(first, last)
  const results = useQueries({
    queries: pages.map((page) => {
      const query = pageQuery(debounced, page)
      const queryKey = source.key(query)
      return {
        queryKey,
        queryFn: ({ signal, client }: { signal: AbortSignal; client: Queried }) =>
          source.load(query, { signal, repeat: client.getQueryState(queryKey)?.data !== undefined }),
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
  // Kept only when its content changed: this draws the table once more, and must come to rest.
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

/** The first wish at once, later ones when the person paused. */
function useDebounced(query: RowQuery): RowQuery {
  const key = JSON.stringify(query)
  const [debounced, setDebounced] = useState({ key, query })
  useEffect(() => {
    if (key === debounced.key) return
    const timer = setTimeout(() => setDebounced({ key, query }), ASK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [key, query, debounced.key])
  return debounced.query
}
