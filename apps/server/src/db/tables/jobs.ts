import type { Submission } from '@flotilla/contract/jobs/jobs'
import type { JobMail } from '@flotilla/contract/site/notifications'
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
  started_at: Date | null
  ended_at: Date | null
  exit_code: number | null
  node_list: string | null
  usage: Json
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
