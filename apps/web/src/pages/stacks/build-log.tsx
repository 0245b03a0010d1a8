import { stacks } from '@flotilla/contract/stacks/stacks'
import type { Stack } from '@flotilla/contract/stacks/entity'
import { ScrollText } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useGrowingLog } from '../../api/growing-log'
import { Async } from '../../ui/feedback/async'
import { EmptyState } from '../../ui/feedback/empty-state'
import { LogLines } from '../../ui/log/log-lines'
import { LogSearch } from '../../ui/log/log-search'
import { SkeletonText } from '../../ui/feedback/skeleton'

export function BuildLog({ stack }: { stack: Stack }) {
  const [text, setText] = useState('')
  const search = useDeferredValue(text.trim())
  const log = useGrowingLog(stacks.logs, { id: stack.id, type: 'build', search, run: stack.run?.beganAt })
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
