import { walltimeSeconds, type Job } from '@flotilla/contract/jobs/jobs'
import { paths } from '../../paths'
import type { Column } from '../../table/column'
import { linkColumn, textColumn, timeColumn } from '../../table/columns'
import { stateTone, stateLabel } from '../../submit/submission-state'
import { Status } from '../../ui/status/status'
import { nodesText, walltimeText } from './resources'

const exitText = ({ lastSubmission: last }: Job): string =>
  last?.retry
    ? `try ${last.retry.tries}`
    : last?.state === 'failed' && last.exitCode !== null
      ? `exit ${last.exitCode}`
      : ''

const owner = textColumn<Job>({
  id: 'owner',
  header: 'Owner',
  value: (job) => job.owner,
  width: 100,
  priority: 3,
})

const columns: readonly Column<Job>[] = [
  linkColumn<Job>({
    id: 'name',
    header: 'Name',
    value: (job) => job.name,
    to: (job) => paths.job(job.id),
    width: 176,
    least: 140,
    priority: 1,
  }),
  {
    id: 'state',
    header: 'Last submission',
    type: 'text',
    width: 144,
    least: 116,
    priority: 1,
    value: (job) =>
      job.lastSubmission
        ? `${stateLabel(job.lastSubmission.state)} ${exitText(job)}`.trim()
        : 'Never submitted',
    cell: ({ lastSubmission, ...job }) =>
      lastSubmission ? (
        <Status tone={stateTone(lastSubmission.state)} detail={exitText({ ...job, lastSubmission })}>
          {stateLabel(lastSubmission.state)}
        </Status>
      ) : (
        <span className="text-ink-3">Never submitted</span>
      ),
  },
  textColumn({
    id: 'cluster',
    header: 'Cluster',
    value: (job) => job.lastSubmission?.cluster.name ?? null,
    width: 124,
    priority: 2,
  }),
  timeColumn({
    id: 'submittedAt',
    header: 'Submitted',
    value: (job) => job.lastSubmission?.submittedAt ?? null,
    width: 108,
    priority: 2,
  }),
  textColumn({
    id: 'resources',
    header: 'Resources',
    value: (job) => nodesText(job.data) + (job.data.array ? `, array ${job.data.array}` : ''),
    width: 184,
    priority: 2,
  }),
  {
    id: 'walltime',
    header: 'Wall time',
    type: 'duration',
    width: 100,
    priority: 3,
    value: (job) => walltimeSeconds(job.data.walltime),
    cell: (job) => <span title={job.data.walltime}>{walltimeText(job.data.walltime)}</span>,
  },
]
const updated = timeColumn<Job>({
  id: 'updatedAt',
  header: 'Updated',
  value: (job) => job.updatedAt,
  width: 108,
  priority: 3,
})

/** The columns for users and admins. Only admins see other users' jobs, so only they get the owner column. */
export const jobColumns: readonly Column<Job>[] = [...columns, updated]
export const adminJobColumns: readonly Column<Job>[] = [...columns, owner, updated]
