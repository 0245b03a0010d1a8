import { clusters } from '@flotilla/contract/clusters/clusters'
import { logTypes } from '@flotilla/contract/clusters/entity'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { ScrollText } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useGrowingLog } from '../../../../api/growing-log'
import { paths, useSearchParam, useSetSearch } from '../../../../paths'
import { Async } from '../../../../ui/feedback/async'
import { CopyText } from '../../../../ui/text/copy-text'
import { cx } from '../../../../ui/text/cx'
import { EmptyState } from '../../../../ui/feedback/empty-state'
import { LogLines } from '../../../../ui/log/log-lines'
import { LogSearch } from '../../../../ui/log/log-search'
import { SkeletonText } from '../../../../ui/feedback/skeleton'
import { logOf } from '../../cluster-text'

const names: Record<(typeof logTypes)[number], string> = {
  plan: 'Plan',
  deploy: 'Deploy',
  change: 'Change',
  stop: 'Stop',
  start: 'Start',
  destroy: 'Destroy',
  burst: 'Burst',
  connection: 'Connection',
}

/** Logs that only cloud clusters have. */
const cloudLogs: readonly (typeof logTypes)[number][] = ['plan', 'change', 'burst']

export function LogsTab({ cluster }: { cluster: Cluster }) {
  const setSearch = useSetSearch()
  const wanted = useSearchParam('type')
  const now = logOf(cluster)
  const offered = logTypes.filter((one) => cluster.provider !== 'local' || !cloudLogs.includes(one))
  const type = offered.find((one) => one === wanted) ?? now ?? 'deploy'
  const [text, setText] = useState('')
  const search = useDeferredValue(text.trim())
  const log = useGrowingLog(clusters.logs, { id: cluster.id, type, search })
  const address = `${location.origin}${paths.cluster(cluster.id, 'logs')}?type=${type}`
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <div role="group" aria-label="Log type" className="flex flex-wrap gap-1">
          {offered.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === type}
              onClick={() => setSearch({ type: one })}
              className={cx(
                'h-8 rounded-control px-2.5 text-body font-medium transition-colors',
                one === type ? 'bg-surface-3 text-ink-1' : 'text-ink-2 hover:bg-surface-3 hover:text-ink-1',
              )}
            >
              {names[one]}
            </button>
          ))}
        </div>
        <div className="w-full sm:w-60">
          <LogSearch value={text} onChange={setText} />
        </div>
        <span className="ml-auto flex items-center gap-3 text-label text-ink-3">
          {now === type && <span role="status">Following</span>}
          <CopyText text={address} label="log link" display="Link to this log" />
        </span>
      </div>
      <Async
        data={log}
        skeleton={<SkeletonText lines={10} />}
        empty={
          <div className="rounded-card border border-line-1 bg-surface-2">
            <EmptyState icon={ScrollText} title={search ? 'No matching lines' : 'This log is empty'}>
              {search
                ? 'Try another log.'
                : type === 'connection'
                  ? 'Connection tests are logged here, step by step.'
                  : `The ${names[type].toLowerCase()} log appears here, line by line.`}
            </EmptyState>
          </div>
        }
      >
        {(lines) => <LogLines lines={lines} label={`${names[type]} log`} />}
      </Async>
    </div>
  )
}
