import type { LogLine } from '@flotilla/contract/clusters/entity'
import { stacks } from '@flotilla/contract/stacks/stacks'
import type { Stack } from '@flotilla/contract/stacks/entity'
import { useQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import type * as z from 'zod/mini'
import { call } from '../../api/call'
import { useConfig } from '../../api/config'
import { useLive } from '../../api/live'
import { apiKey } from '../../api/query'
import { Async } from '../../ui/feedback/async'
import { EmptyState } from '../../ui/feedback/empty-state'
import { LogLines } from '../../ui/log/log-lines'
import { LogSearch } from '../../ui/log/log-search'
import { SkeletonText } from '../../ui/feedback/skeleton'

type Line = z.infer<typeof LogLine>

/** A growing log: each fetch requests only the lines after the last one. A new build starts over. */
function useBuildLog({ id, run }: Stack, search: string) {
  const { connected } = useLive()
  const { updateInterval } = useConfig()
  const queryKey = apiKey(stacks.logs, { id, search, build: run?.beganAt ?? null })
  return useQuery<Line[]>({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<Line[]>(queryKey) ?? []
      const after = before.at(-1)?.seq ?? 0
      const query = search ? { after, search } : { after }
      const options = { signal, repeat: before.length > 0 }
      const more = await call(stacks.logs, { id, type: 'build', query }, options)
      return more.length > 0 ? [...before, ...more] : before
    },
    // When a build has ended, its full log is fetched once.
    staleTime: 0,
    refetchInterval: connected ? false : updateInterval,
  })
}

export function BuildLog({ stack }: { stack: Stack }) {
  const [text, setText] = useState('')
  const search = useDeferredValue(text.trim())
  const log = useBuildLog(stack, search)
  return (
    <section aria-label="Build log">
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <h2 className="text-section font-semibold">Latest build log</h2>
        {stack.state === 'building' && (
          <span role="status" className="text-label text-ink-3">
            Following
          </span>
        )}
        <div className="ml-auto w-full sm:w-60">
          <LogSearch value={text} onChange={setText} />
        </div>
      </div>
      <Async
        data={log}
        skeleton={<SkeletonText lines={8} />}
        empty={
          <div className="rounded-card border border-line-1 bg-surface-2">
            <EmptyState icon={ScrollText} title={search ? 'No matching lines' : 'No builds yet'}>
              {search ? 'Clear the search to see the full log.' : 'The build log appears here, line by line.'}
            </EmptyState>
          </div>
        }
      >
        {(lines) => <LogLines lines={lines} label="Build log" />}
      </Async>
    </section>
  )
}
