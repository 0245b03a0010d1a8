import { account, type JobUsage } from '@flotilla/contract/site/usage'
import { Timer } from 'lucide-react'
import { callPage } from '../api/call'
import { useApiList } from '../api/list'
import { paths } from '../paths'
import { statusColumn, textColumn, timeColumn } from '../table/columns'
import type { Column } from '../table/column'
import { DataTable } from '../table/data-table'
import { Async } from '../ui/feedback/async'
import { EmptyState } from '../ui/feedback/empty-state'
import { RowLink } from '../ui/button/link'
import { SkeletonRows } from '../ui/feedback/skeleton'
import { RelativeTime } from '../ui/text/relative-time'
import { allPages } from './all-pages'
import { RowsExportMenu } from './rows-export-menu'
import { figureColumn } from './link-cell'
import { rangeInput, type Range } from './range'
import { hoursText, priceText, stateOf } from './usage-text'

export const jobColumns: readonly Column<JobUsage>[] = [
  textColumn({
    id: 'job',
    header: 'Job',
    value: ({ job, nativeId }) => job || nativeId,
    cell: ({ job, jobId, submissionId, nativeId }) =>
      jobId === null ? (
        job || nativeId
      ) : (
        // Links to this submission, not to the latest one.
        <RowLink to={paths.job(jobId)} search={{ submission: submissionId ?? undefined }}>
          {job || nativeId}
        </RowLink>
      ),
    width: 160,
    least: 110,
    grow: true,
    priority: 1,
  }),
  textColumn({
    id: 'nativeId',
    header: 'ID',
    value: (job) => job.nativeId,
    mono: true,
    width: 104,
    priority: 2,
  }),
  textColumn({ id: 'cluster', header: 'Cluster', value: (job) => job.cluster, width: 132, priority: 2 }),
  statusColumn({
    id: 'state',
    header: 'State',
    value: ({ state }) => stateOf(state).label,
    tone: ({ state }) => stateOf(state).tone,
    width: 120,
    priority: 2,
  }),
  timeColumn({ id: 'started', header: 'Started', value: (job) => job.startedAt, width: 110, priority: 2 }),
  textColumn({
    id: 'ended',
    header: 'Ended',
    value: ({ endedAt }) => (endedAt === null ? '' : new Date(endedAt).toISOString()),
    cell: (job) => <Ended job={job} />,
    width: 176,
    priority: 3,
  }),
  figureColumn({
    id: 'nodes',
    header: 'Nodes',
    value: (job) => job.nodes,
    text: String,
    width: 84,
    priority: 3,
  }),
  figureColumn({
    id: 'cores',
    header: 'Cores',
    value: (job) => job.cores,
    text: String,
    width: 84,
    priority: 3,
  }),
  figureColumn({
    id: 'gpus',
    header: 'GPUs',
    value: (job) => job.gpus,
    text: String,
    width: 80,
    priority: 3,
  }),
  figureColumn({
    id: 'coreHours',
    header: 'Core hours',
    value: (job) => job.coreHours,
    text: (value) => hoursText(value ?? 0),
    width: 112,
    least: 96,
    priority: 1,
  }),
  figureColumn({
    id: 'price',
    header: 'Price',
    value: (job) => job.price,
    text: (value) => priceText(value),
    width: 100,
    least: 84,
    priority: 1,
  }),
]

function Ended({ job: { endedAt, estimated } }: { job: JobUsage }) {
  if (endedAt === null) return <span className="text-ink-3">–</span>
  return (
    <>
      {estimated && 'about '}
      <RelativeTime at={endedAt} />
    </>
  )
}

export const jobKey = (job: JobUsage) => `${job.clusterId} ${job.nativeId} ${job.startedAt}`

interface JobTableProps {
  /** Without an account, the table shows the user's own jobs. */
  userAccount?: string
  range: Range
  cluster?: string | undefined
}

/** Jobs of one account in a range, newest first; each is cut at the ends of the range. */
export function JobTable({ userAccount, range, cluster }: JobTableProps) {
  const own = userAccount === undefined
  const endpoint = own ? account.ownJobs : account.details
  const input = { ...(own ? {} : { userAccount }), ...rangeInput(range) }
  const filter: Record<string, string> = cluster === undefined ? {} : { cluster }
  const jobs = useApiList(endpoint, { ...input, query: filter })
  const everything = () =>
    allPages((page) => callPage(endpoint, { ...input, query: { ...filter, ...page } }, {}))
  return (
    <Async
      data={jobs}
      skeleton={<SkeletonRows rows={8} columns={6} />}
      empty={
        <EmptyState icon={Timer} title="No jobs in this period">
          Jobs appear here as soon as they start, including those not submitted in the console.
        </EmptyState>
      }
    >
      {(rows) => (
        <DataTable
          label="Jobs"
          columns={jobColumns}
          rows={rows}
          rowId={jobKey}
          older={jobs.older}
          initialSort={{ column: 'started', descending: true }}
          toolbar={<RowsExportMenu name={`jobs-${userAccount}`} rows={everything} />}
        />
      )}
    </Async>
  )
}
