import type { clusters } from '@flotilla/contract/clusters/clusters'
import type { LogLine, LogType } from '@flotilla/contract/clusters/entity'
import type { stacks } from '@flotilla/contract/stacks/stacks'
import { useQuery } from '@tanstack/react-query'
import type * as z from 'zod/mini'
import { call } from './call'
import { apiKey, useRefetching } from './query'

type Line = z.infer<typeof LogLine>

interface Log {
  id: string
  type: z.infer<typeof LogType> | 'build'
  search: string
  /** A new run starts a new log. */
  run?: number | undefined
}

/** A growing log: each fetch requests only the lines after the last one. */
export function useGrowingLog(endpoint: typeof clusters.logs | typeof stacks.logs, log: Log) {
  const { id, type, search } = log
  const queryKey = apiKey(endpoint, log)
  const { isRepeat, markUserRefetch, refetchInterval } = useRefetching(queryKey)
  const result = useQuery<Line[]>({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<Line[]>(queryKey) ?? []
      const after = before.at(-1)?.seq ?? 0
      const query = search ? { after, search } : { after }
      const more = await call(endpoint, { id, type, query }, { signal, repeat: isRepeat(client) })
      return more.length > 0 ? [...before, ...more] : before
    },
    // Always refetched when opened: lines may have been added since.
    staleTime: 0,
    refetchInterval,
  })
  const refetch: typeof result.refetch = (options) => {
    markUserRefetch()
    return result.refetch(options)
  }
  return { ...result, refetch }
}
