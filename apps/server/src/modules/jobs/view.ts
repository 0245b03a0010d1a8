import type { Job, Submission } from '@flotilla/contract/jobs/jobs'
import type { FoundJob, FoundSubmission } from './store'

const retryOf = (row: FoundSubmission): Submission['retry'] =>
  row.next_try_at === null || row.ended_at !== null
    ? null
    : {
        of: row.cancel_asked_at === null ? 'submit' : 'cancel',
        tries: row.tries,
        nextAt: row.next_try_at.getTime(),
        reason: row.retry_reason ?? '',
      }

export const asSubmission = (row: FoundSubmission): Submission => ({
  id: row.id,
  jobId: row.job_id,
  jobName: row.job_name,
  cluster: { id: row.cluster_id ?? 'gone', name: row.cluster_name },
  submittedBy: row.submitted_by,
  runAsAdmin: row.run_as_admin,
  nativeId: row.native_id,
  state: row.state,
  reason: row.reason,
  submittedAt: row.submitted_at.getTime(),
  startedAt: row.started_at?.getTime() ?? null,
  endedAt: row.ended_at?.getTime() ?? null,
  exitCode: row.exit_code,
  nodeList: row.node_list,
  folder: row.folder,
  usage: row.usage,
  retry: retryOf(row),
  data: row.data,
})

export const asJob = (row: FoundJob, last: FoundSubmission | undefined): Job => ({
  id: row.id,
  name: row.name,
  description: row.description,
  data: row.data,
  owner: row.owner,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
  lastSubmission: last ? asSubmission(last) : null,
})
