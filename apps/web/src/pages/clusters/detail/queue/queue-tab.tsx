import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { QueuedJob } from '@flotilla/contract/clusters/tables'
import { Ban, Inbox, Pause, Play, SquareTerminal, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { call } from '../../../../api/call'
import { paths } from '../../../../paths'
import { tableSettings } from '../../../../session/page-settings'
import { useIsAdmin, useUser } from '../../../../session/user'
import { stateTone } from '../../../../submit/submission-state'
import type { BulkAction } from '../../../../table/selection/bulk-bar'
import type { BulkContext } from '../../../../table/selection/use-bulk-run'
import { ServerTable } from '../../../../table/server-table'
import { EmptyState } from '../../../../ui/feedback/empty-state'
import type { MenuEntry } from '../../../../ui/overlay/menu-entry'
import { CancelJobs } from './cancel-jobs'
import { jobColumns } from './job-columns'
import { bulkBlockedReason, jobBlockedReason } from './job-rules'
import type { JobOperation } from './job-rules'
import { useRowSource } from '../row-source'
import { StateFilters, useStateFilter } from '../state-filters'
import { useJobOperations } from './use-job-operations'

const idOf = (job: QueuedJob) => job.id
const versionOf = ({ state, reason, nodeList }: QueuedJob) => `${state} ${reason} ${nodeList}`
const settings = tableSettings('cluster-queue')

/** An operation on jobs, with the selection they come from; `bulk` is undefined for a row's own action. */
type Operated = { operation: JobOperation; jobs: readonly QueuedJob[]; bulk: BulkContext | undefined }

const operations: readonly { operation: JobOperation; label: string; icon: typeof Ban }[] = [
  { operation: 'hold', label: 'Hold', icon: Pause },
  { operation: 'release', label: 'Release', icon: Play },
  { operation: 'cancel', label: 'Cancel', icon: Ban },
]
/** Only Torque keeps jobs in the queue after their node has vanished. */
const withPurge = [...operations, { operation: 'purge', label: 'Purge', icon: Trash2 } as const]

export function QueueTab({ cluster }: { cluster: Cluster }) {
  const { username } = useUser()
  const isAdmin = useIsAdmin()
  const { id } = cluster
  const source = useRowSource(clusters.queue, id, (query, options) =>
    call(clusters.queue, { id, query }, options),
  )
  const only = useStateFilter()
  const operate = useJobOperations(cluster)
  const [ending, setEnding] = useState<Operated | null>(null)
  const offered = isAdmin && cluster.data.manager === 'torque' ? withPurge : operations

  const ownOf = (job: QueuedJob) => isAdmin || job.user === username
  const columns = useMemo(() => jobColumns((job) => isAdmin || job.user === username), [isAdmin, username])
  const blockedReason = (operation: JobOperation, job: QueuedJob) =>
    jobBlockedReason(operation, job, cluster, username)
  const apply = ({ operation, jobs, bulk }: Operated): Promise<void> | undefined => {
    const [job] = jobs
    if (bulk) return operate.many(operation, jobs, bulk)
    return job && operate.one(operation, job)
  }
  const begin = (operation: JobOperation, jobs: readonly QueuedJob[], bulk?: BulkContext) => {
    const allowed = jobs.filter((job) => blockedReason(operation, job) === null)
    const operated = { operation, jobs: allowed, bulk }
    if (operation === 'cancel' || operation === 'purge') setEnding(operated)
    else void apply(operated)
  }

  const rowActions = (job: QueuedJob): MenuEntry[] => [
    ...(job.jobId !== null && ownOf(job)
      ? [
          { to: paths.job(job.jobId), label: 'Open job and output', icon: SquareTerminal },
          'separator' as const,
        ]
      : []),
    ...offered.map(({ operation, label, icon }) => ({
      label,
      icon,
      disabledReason: blockedReason(operation, job),
      onSelect: () => begin(operation, [job]),
    })),
  ]
  const bulkActions = (jobs: readonly QueuedJob[]): BulkAction[] =>
    offered.map(({ operation, label, icon }) => ({
      label,
      icon,
      disabledReason: bulkBlockedReason(jobs.map((job) => blockedReason(operation, job))),
      onSelect: (bulk) => begin(operation, jobs, bulk),
    }))

  const { queue } = cluster
  return (
    <div>
      <StateFilters
        label="jobs"
        total={queue.total}
        counts={[
          ...(['running', 'queued', 'blocked'] as const).map((state) => ({
            state,
            count: queue[state],
            tone: stateTone(state),
          })),
          // All jobs that ended, including failed and canceled ones.
          { state: 'completed', text: 'Ended', count: queue.completed, tone: 'gray' },
        ]}
      />
      <ServerTable
        label="Jobs"
        columns={columns}
        source={source}
        only={only}
        rowId={idOf}
        rowVersion={versionOf}
        rowActions={rowActions}
        bulkActions={bulkActions}
        settings={settings}
        maxHeight="max(24rem, calc(100dvh - 9rem))"
        empty={
          <EmptyState icon={Inbox} title="The queue is empty">
            {cluster.info.state === 'available'
              ? 'Jobs submitted to this cluster, from here or from its command line, appear within a second.'
              : 'Jobs appear here when the cluster is available.'}
          </EmptyState>
        }
      />
      {ending && (
        <CancelJobs
          purge={ending.operation === 'purge'}
          jobs={ending.jobs}
          onClose={() => setEnding(null)}
          onConfirm={() => {
            const ended = apply(ending)
            // The progress of a bulk operation is shown at the bottom of the window.
            return ending.bulk ? Promise.resolve() : Promise.resolve(ended)
          }}
        />
      )}
    </div>
  )
}
