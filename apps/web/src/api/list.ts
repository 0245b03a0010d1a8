import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { InfiniteData, QueryKey } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ApiError } from '@flotilla/client/api-error'
import { callPage } from './call'
import { apiKey, useRefetching } from './query'

type RowOf<E extends Endpoint> = Reply<E> extends readonly (infer Row)[] ? Row : never
type Piece<E extends Endpoint> = { rows: Reply<E>; next: string | null }
/** Where a page of a list starts; null for the first page. */
type Cursor = string | null

/**
 * A list, newest first, that may be longer than one response: the newest rows immediately, older ones on request.
 * Everything loaded so far is refetched when something changes.
 */
export function useApiList<E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  { everyMs, enabled = true }: { everyMs?: number; enabled?: boolean } = {},
) {
  const queryKey = [...apiKey(endpoint, input), 'pages']
  const { isRepeat, markUserRefetch, refetchInterval } = useRefetching(queryKey, everyMs)
  const result = useInfiniteQuery<Piece<E>, ApiError, InfiniteData<Piece<E>, Cursor>, QueryKey, Cursor>({
    queryKey,
    queryFn: ({ client, signal, pageParam }) => {
      // Border: every list takes a page besides its filter, which the compiler cannot see through a generic.
      const { query: filter } = input as { query?: object }
      const query = { ...filter, limit: PAGE_SIZE_MAX, ...(pageParam !== null && { cursor: pageParam }) }
      const sent = { ...(input as object), query } as Sent<E>
      return callPage(endpoint, sent, { repeat: isRepeat(client), signal })
    },
    initialPageParam: null,
    getNextPageParam: ({ next }) => next,
    refetchInterval,
    enabled,
  })
  const { data, error, isPending, isError, isFetching, dataUpdatedAt, hasNextPage, isFetchingNextPage } =
    result
  // Border: `callPage` returns what the endpoint declares, which is an array for a list.
  const rows = useMemo(() => data?.pages.flatMap((piece) => piece.rows as RowOf<E>[]), [data])
  const fetchNext = () => result.fetchNextPage({ cancelRefetch: false })
  const loaded = data?.pages.length ?? 0
  return {
    data: rows,
    error,
    isPending,
    isError,
    isFetching,
    dataUpdatedAt,
    refetch: () => {
      markUserRefetch()
      return result.refetch()
    },
    /** Loads older rows; null when everything is loaded. */
    older: hasNextPage
      ? {
          busy: isFetchingNextPage,
          show: () => {
            markUserRefetch()
            void fetchOlder(loaded, fetchNext)
          },
          showAll: () => {
            markUserRefetch()
            void fetchAllOlder(loaded, fetchNext)
          },
        }
      : null,
  }
}

type FetchNext = () => Promise<{ data?: { pages: unknown[] }; isError: boolean; hasNextPage: boolean }>
const TRIES = 10

/**
 * Fetches one more page of older rows. A change that arrives meanwhile refetches the loaded pages and drops this
 * request, and a refetch in progress takes precedence over it; in both cases, the older rows are requested again.
 */
export async function fetchOlder(loaded: number, fetchNext: FetchNext): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { data, isError, hasNextPage } = await fetchNext()
    if (isError || !hasNextPage) return false
    if ((data?.pages.length ?? 0) > loaded) return true
  }
  return false
}

/** Fetches older pages until there are no more or one cannot be loaded. */
export async function fetchAllOlder(loaded: number, fetchNext: FetchNext): Promise<void> {
  for (let pages = loaded; await fetchOlder(pages, fetchNext);) pages += 1
}
