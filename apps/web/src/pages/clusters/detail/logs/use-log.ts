import { clusters } from '@flotilla/contract/clusters/clusters'
import type { LogLine, LogType } from '@flotilla/contract/clusters/entity'
import { useQuery } from '@tanstack/react-query'
import type * as z from 'zod/mini'
import { call } from '../../../../api/call'
import { useConfig } from '../../../../api/config'
import { useLive } from '../../../../api/live'
import { apiKey } from '../../../../api/query'

type Line = z.infer<typeof LogLine>

/** A growing log: each fetch requests only the lines after the last one. */
export function useLog(id: string, type: z.infer<typeof LogType>, search: string) {
  const { connected } = useLive()
  const { updateInterval } = useConfig()
  const queryKey = apiKey(clusters.logs, { id, type, search })
  return useQuery<Line[]>({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<Line[]>(queryKey) ?? []
      const after = before.at(-1)?.seq ?? 0
      const query = search ? { after, search } : { after }
      const more = await call(clusters.logs, { id, type, query }, { signal, repeat: before.length > 0 })
      return more.length > 0 ? [...before, ...more] : before
    },
    refetchInterval: connected ? false : updateInterval,
  })
}
