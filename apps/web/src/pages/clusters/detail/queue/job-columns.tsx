import type { QueuedJob } from '@flotilla/contract/clusters/tables'
import { limitText } from '@flotilla/contract/durations'
import { paths } from '../../../../paths'
import type { Column } from '../../../../table/column'
import { numberColumn, textColumn, timeColumn } from '../../../../table/columns'
import { cx } from '../../../../ui/text/cx'
import { RowLink } from '../../../../ui/button/link'
import { Status } from '../../../../ui/status/status'
import { useTicking } from '../../../../ui/text/use-now'
import { outcomeOf, reasonOf } from './job-outcome'

/** The column IDs are the names that the server filters and sorts by. */
export const jobColumns = (linked: (job: QueuedJob) => boolean): readonly Column<QueuedJob>[] => [
  {
    id: 'id',
    header: 'ID',
    type: 'text',
    // Wide enough for an array task with its server, such as 1234[56].head.
    width: 120,
    least: 72,
    priority: 1,
    value: (job) => job.id,
    cell: (job) =>
      job.jobId !== null && linked(job) ? (
        <RowLink to={paths.job(job.jobId)} className="font-mono text-label">
          {job.id}
        </RowLink>
      ) : (
        <span className="font-mono text-label">{job.id}</span>
      ),
  },
  textColumn({
    id: 'name',
    header: 'Name',
    value: (job) => job.name,
    width: 200,
    least: 96,
    priority: 1,
  }),
  textColumn({ id: 'user', header: 'User', value: (job) => job.user, width: 90, priority: 2 }),
  {
    id: 'state',
    header: 'State',
    type: 'text',
    width: 150,
    least: 108,
    priority: 1,
    value: (job) => outcomeOf(job).label,
    cell: (job) => {
      const { label, tone } = outcomeOf(job)
      return (
        <Status
          tone={tone}
          detail={
            label === 'Failed' && job.exitCode ? (
              // A phone has space only for the label.
              <span className="max-sm:hidden">exit {job.exitCode}</span>
            ) : undefined
          }
        >
          {label}
        </Status>
      )
    },
  },
  textColumn({
    id: 'reason',
    header: 'Reason',
    value: reasonOf,
    // Reasons are full sentences.
    width: 250,
    grow: true,
    priority: 2,
  }),
  numberColumn({ id: 'nodes', header: 'Nodes', value: (job) => job.nodes, width: 90, priority: 3 }),
  numberColumn({ id: 'cores', header: 'Cores', value: (job) => job.cores, width: 90, priority: 2 }),
  numberColumn({ id: 'gpus', header: 'GPUs', value: (job) => job.gpus, width: 86, priority: 3 }),
  timeColumn({
    id: 'submitTime',
    header: 'Submitted',
    value: (job) => job.submitTime,
    width: 108,
    priority: 3,
  }),
  timeColumn({ id: 'startTime', header: 'Started', value: (job) => job.startTime, width: 108, priority: 3 }),
  {
    id: 'timeLimitS',
    header: 'Wall time',
    type: 'duration',
    align: 'left',
    width: 130,
    priority: 2,
    value: (job) => job.timeLimitS,
    cell: (job) => <TimeLimit job={job} />,
  },
  textColumn({
    id: 'nodeList',
    header: 'Node list',
    value: (job) => job.nodeList,
    mono: true,
    width: 130,
    priority: 3,
  }),
]

/** The share of the wall time limit that a running job has used; for other jobs, only the limit. */
function TimeLimit({ job }: { job: QueuedJob }) {
  const { state, startTime, timeLimitS } = job
  const running = state === 'running' && startTime !== null && timeLimitS
  const share = useTicking((now) =>
    running ? Math.round(Math.min(1, (now - startTime) / (timeLimitS * 1000)) * 100) : 0,
  )
  if (timeLimitS === null) return <span className="text-ink-3">None</span>
  if (!running) return <span className="tabular-nums">{limitText(timeLimitS)}</span>
  return (
    <span className="flex items-center gap-2" title={`${share}% of ${limitText(timeLimitS)}`}>
      <span
        role="meter"
        aria-label="Time used"
        aria-valuenow={share}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-1.5 w-10 shrink-0 overflow-hidden rounded-full bg-surface-3"
      >
        <span
          className={cx('block h-full', share >= 90 ? 'bg-amber-dot' : 'bg-blue-dot')}
          style={{ width: `${share}%` }}
        />
      </span>
      <span className="truncate tabular-nums">{limitText(timeLimitS)}</span>
    </span>
  )
}
