import type { Submission } from '@flotilla/contract/jobs/jobs'
import type { JobMail } from '@flotilla/contract/site/notifications'
import type { Generated } from 'kysely'
import type { Json } from './json-column'

export type JobRow = {
  id: string
  owner_id: string
  name: string
  description: string
  data: Json
  created_at: Date
  updated_at: Date
}

export type SubmissionRow = {
  id: string
  job_id: string
  cluster_id: string | null
  cluster_name: string
  user_id: string | null
  submitted_by: string
  run_as_admin: boolean
  account: string
  request_key: string | null
  native_id: string | null
  state: Submission['state']
  reason: string | null
  submitted_at: Date
  /** When it was last sent to the resource manager, if not on submission. */
  sent_at: Date | null
  /** How often the resource manager did not accept it or its cancellation; `next_try_at` is set while it is retried. */
  tries: Generated<number>
  next_try_at: Date | null
  retry_reason: string | null
  cancel_asked_at: Date | null
  started_at: Date | null
  ended_at: Date | null
  exit_code: number | null
  node_list: string | null
  usage: Json
  tasks: string | null
  data: Json
  folder: string
  job_name: string
}

export type JobTables = {
  jobs: JobRow
  submissions: SubmissionRow
  job_mail_choices: { user_id: string; wanted: Exclude<JobMail, 'never'>; since: Date }
  job_mails: { submission_id: string }
}
