import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import {
  QueryClient,
  QueryClientProvider,
  hashKey,
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { QueryKey, UseMutationResult, UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { showError } from './errors'
import type { Offer } from './errors'
import { notices } from '../ui/feedback/notices-store'
import type { ApiError } from '@flotilla/client/api-error'
import { call } from './call'
import { useConfig } from './config'
import { useLive } from './live'

/** Changes arrive over the socket, so recently fetched data need not be refetched on every visit. */
const FRESH_MS = 10_000
const ATTEMPTS = 3

const createClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // Retries only transient errors: an unreachable server, or a part of it that is down.
        retry: (failed, error) => isPassing(error) && failed < ATTEMPTS - 1,
        // A site on its own network works without the internet.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })

const isPassing = (error: unknown): boolean => {
  const { status } = error as ApiError // Border: queries here only ever throw what `call` throws.
  return status === 0 || status === 503
}

/** One client per user: it is dropped at logout, with all its data. */
export function QueryProvider({ children }: { children: ReactNode }) {
  const [client] = useState(createClient)
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}

export const apiKey = (endpoint: Endpoint, input: unknown): QueryKey => [endpoint.path, input]

const invalidate = (client: QueryClient, endpoints: Endpoint[]): Promise<unknown> =>
  Promise.all(endpoints.map((endpoint) => client.invalidateQueries({ queryKey: [endpoint.path] })))

/** For calls outside of a mutation, such as those of a bulk action. */
export function useInvalidate(): (endpoints: Endpoint[]) => void {
  const client = useQueryClient()
  return (endpoints) => void invalidate(client, endpoints)
}

/** Refetches that the user requested with a button: the next fetch of such a key counts as activity. */
const userRefetches = new Set<string>()

type QueryOptions = {
  enabled?: boolean
  admin?: boolean
  staleTime?: number
  /** Keeps the old rows while a changed input is fetched. */
  keepPrevious?: boolean
  /** Refetches this often even without a change event, for data that shows its age. */
  everyMs?: number
  /**
   * Fetches when opened and then only when the user requests it, because data that the user is editing must not change
   * meanwhile.
   */
  once?: boolean
  /** False for slow requests, which only the user retries. */
  retry?: false
}

export function useApiQuery<E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  { enabled, admin, staleTime, keepPrevious, everyMs, once, retry }: QueryOptions = {},
): UseQueryResult<Reply<E>, ApiError> {
  const queryKey = apiKey(endpoint, input)
  const { isRepeat, markUserRefetch, refetchInterval } = useRefetching(queryKey, everyMs)
  const result = useQuery<Reply<E>, ApiError>({
    queryKey,
    queryFn: ({ client, signal }) => call(endpoint, input, { repeat: isRepeat(client), admin, signal }),
    enabled,
    staleTime,
    ...(retry !== undefined && { retry }),
    refetchInterval,
    ...(once && { gcTime: 0, enabled: ({ state }) => state.data === undefined }),
    placeholderData: keepPrevious ? keepPreviousData : undefined,
  })
  const refetch: typeof result.refetch = (options) => {
    markUserRefetch()
    return result.refetch(options)
  }
  return { ...result, refetch }
}

/**
 * Whether a form has to wait for its data. False once a query has failed: otherwise, each retry would unmount the
 * form, which loses the typed values and, when mounted again, starts the next retry.
 */
export const isFirstLoad = ({
  isPending,
  errorUpdateCount,
}: Pick<UseQueryResult, 'isPending' | 'errorUpdateCount'>): boolean => isPending && errorUpdateCount === 0

/** Distinguishes automatic refetches, which do not count as activity, from those that the user requested. */
export function useRefetching(queryKey: QueryKey, everyMs: number | false = false) {
  const { updateInterval } = useConfig()
  const { connected } = useLive()
  const key = hashKey(queryKey)
  return {
    markUserRefetch: () => void userRefetches.add(key),
    isRepeat: (client: QueryClient): boolean => {
      const state = client.getQueryState(queryKey)
      const seenBefore = state !== undefined && state.dataUpdateCount + state.errorUpdateCount > 0
      return !userRefetches.delete(key) && seenBefore
    },
    refetchInterval: connected ? everyMs : updateInterval,
  }
}

type MutationOptions<E extends Endpoint> = {
  /** Shown as a notice. */
  success?: string
  /** Endpoints whose data changes as a result. */
  invalidates?: Endpoint[]
  admin?: boolean
  onSuccess?: (reply: Reply<E>, input: Sent<E>) => void
  /** The part that was done despite a failure; precedes its reason. */
  lead?: string
  /** An action that resolves a failure, for the ERROR dialog. */
  offer?: (error: ApiError, input: Sent<E>) => Offer | undefined
}

/** The one error rule: forms show their own failures, every other action opens the ERROR dialog. */
export function useApiMutation<E extends Endpoint>(
  endpoint: E,
  { success, invalidates = [], admin, onSuccess, offer, lead }: MutationOptions<E> = {},
): UseMutationResult<Reply<E>, ApiError, Sent<E>> {
  return useMutation<Reply<E>, ApiError, Sent<E>>({
    mutationFn: (input) => call(endpoint, input, { admin }),
    onSuccess: (reply, input, _result, { client }) => {
      if (success) notices.success(success)
      void invalidate(client, invalidates)
      onSuccess?.(reply, input)
    },
    onError: (error, input) => {
      if ((endpoint.failure ?? 'dialog') === 'dialog')
        showError(error, { offer: offer?.(error, input), lead })
    },
  })
}
