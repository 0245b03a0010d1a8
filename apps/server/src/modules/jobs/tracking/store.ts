import { sql } from 'kysely'
import type { Database, Queryable, Transaction } from '../../../db/database'
import { prepare } from '../../../db/connection/prepared'
import type { SubmissionRow } from '../../../db/tables/jobs'
import type { FoundSubmission } from '../store'

const inProgressColumns = [
  'id',
  'job_id',
  'cluster_name',
  'user_id',
  'submitted_by',
  'account',
  'run_as_admin',
  'native_id',
  'state',
  'reason',
  'started_at',
  'ended_at',
  'exit_code',
  'node_list',
  'folder',
  'cancel_asked_at',
  'next_try_at',
  'tasks',
] as const satisfies (keyof SubmissionRow)[]
export type InProgress = Pick<FoundSubmission, (typeof inProgressColumns)[number]> & {
  owner_id: string
  /** The requested tasks of an array. */
  array: string | null
}

const findInProgress = prepare<InProgress>('in progress', () => {
  const columns = inProgressColumns.map((column) => `submissions.${column}`).join()
  return `select ${columns}, jobs.owner_id, nullif(submissions.data->>'array', '') as array from submissions join jobs on jobs.id = submissions.job_id
    where submissions.cluster_id = $1 and submissions.ended_at is null`
})
/** The submissions to match with the queue. Scripts are omitted, since there may be thousands twice a second. */
export const inProgress = (db: Database, clusterId: string): Promise<InProgress[]> =>
  findInProgress(db, [clusterId])

export type Progress = Pick<
  FoundSubmission,
  'id' | 'native_id' | 'state' | 'reason' | 'started_at' | 'ended_at' | 'exit_code' | 'node_list' | 'tasks'
> & {
  /** Undefined keeps the stored usage. */
  usage: FoundSubmission['usage'] | undefined
}
/** Saves many at once, except those that have ended in the meantime. Returns the ids of the saved ones. */
export const saveProgress = async (tx: Transaction, all: Progress[]): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    update submissions set native_id = now.native_id, state = now.state, reason = now.reason,
      started_at = now.started_at, ended_at = now.ended_at, exit_code = now.exit_code, node_list = now.node_list,
      usage = coalesce(now.usage, submissions.usage), tasks = now.tasks
    from jsonb_populate_recordset(null::submissions, ${JSON.stringify(all)}::jsonb) now
    where submissions.id = now.id and submissions.ended_at is null
    returning submissions.id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** The submissions with these ids, with the jobs they belong to. */
export const submissionsWithIds = (db: Queryable, clusterId: string, ids: string[]) =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('submissions')
        .select(['id', 'job_id', 'native_id', 'user_id', 'run_as_admin', 'account'])
        .where('cluster_id', '=', clusterId)
        .where('id', '=', sql<string>`any(${ids})`)
        .execute()
