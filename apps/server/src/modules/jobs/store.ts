import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import { JobData, Submission } from '@flotilla/contract/jobs/jobs'
import { newestFirst, olderThan, type Cursor } from '../../db/cursors'
import type { Database, Queryable, Transaction } from '../../db/database'
import { isAdminSql } from '../../db/owned'
import { prepare } from '../../db/connection/prepared'
import { activityColumns, type NewActivity } from '../../db/tables/activities'
import { type JobRow, type SubmissionRow } from '../../db/tables/jobs'
import { matchesFingerprint } from '../../db/cluster-fingerprint'
import { viewerInJson, visibleTo, visibleToSql, type Viewer } from '../../db/visible'

type Parsed<Row> = Omit<Row, 'data'> & { data: JobData }
/** The only places where the JSON of a job and of a submission is parsed. */
const parsed = <Row extends { data: unknown }>(rows: Row[]): Parsed<Row>[] =>
  rows.map((row) => ({ ...row, data: JobData.parse(row.data) }))

type SubmissionRecord = Selectable<SubmissionRow>
export type FoundSubmission = Omit<Parsed<SubmissionRecord>, 'usage'> & Pick<Submission, 'usage'>
const parsedSubmissions = (rows: SubmissionRecord[]): FoundSubmission[] =>
  parsed(rows).map((row) => ({ ...row, usage: Submission.shape.usage.parse(row.usage) }))

const jobs = (db: Queryable) =>
  db
    .selectFrom('jobs')
    .innerJoin('users as owner', 'owner.id', 'jobs.owner_id')
    .selectAll('jobs')
    .select('owner.username as owner')
type JobRecord = Awaited<ReturnType<ReturnType<typeof jobs>['executeTakeFirstOrThrow']>>
export type FoundJob = Parsed<JobRecord>

const findOwned = prepare<JobRecord>('find a job', (db) =>
  jobs(db)
    .where('jobs.id', '=', sql<string>`$1`)
    .where(visibleToSql('jobs', viewerInJson(sql`$2::jsonb`)))
    .compile(),
)
export const find = async (db: Database, id: string, viewer: Viewer): Promise<FoundJob | undefined> =>
  parsed(await findOwned(db, [id, JSON.stringify(viewer)]))[0]

export const list = async (db: Queryable, viewer: Viewer, limit: number, after?: Cursor) =>
  parsed(
    await jobs(db)
      .where(visibleTo('jobs', viewer))
      .$call(newestFirst('jobs', limit, after))
      .execute(),
  )

export const insert = (tx: Transaction, row: Insertable<JobRow>) =>
  tx.insertInto('jobs').values(row).execute()
export const update = (tx: Transaction, id: string, values: Updateable<JobRow>) =>
  tx.updateTable('jobs').set(values).where('id', '=', id).execute()
/** Locks a job against statements that refer to it until the transaction ends. */
export const lock = (tx: Transaction, id: string) =>
  tx.selectFrom('jobs').select('id').where('id', '=', id).forUpdate().execute()
export const remove = (tx: Transaction, id: string) => tx.deleteFrom('jobs').where('id', '=', id).execute()

/** The newest submission of each of these jobs. */
export const lastSubmissions = async (db: Queryable, jobIds: string[]) =>
  jobIds.length === 0
    ? []
    : parsedSubmissions(
        await db
          .selectFrom('submissions')
          .distinctOn('job_id')
          .selectAll()
          .where('job_id', 'in', jobIds)
          .orderBy('job_id')
          .orderBy('submitted_at', 'desc')
          .orderBy('id', 'desc')
          .execute(),
      )

export const submissions = async (db: Queryable, jobId: string, limit: number, after?: Cursor) =>
  parsedSubmissions(
    await db
      .selectFrom('submissions')
      .selectAll()
      .where('job_id', '=', jobId)
      .where(olderThan(after, 'submitted_at', 'id'))
      .orderBy('submitted_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
  )
export const submission = async (db: Queryable, id: string) =>
  parsedSubmissions(await db.selectFrom('submissions').selectAll().where('id', '=', id).execute())[0]
export const submissionByKey = async (db: Queryable, userId: string, key: string) =>
  parsedSubmissions(
    await db
      .selectFrom('submissions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('request_key', '=', key)
      .execute(),
  )[0]

const submissionColumns = [
  'id',
  'job_id',
  'job_name',
  'cluster_id',
  'cluster_name',
  'user_id',
  'submitted_by',
  'run_as_admin',
  'account',
  'request_key',
  'native_id',
  'state',
  'reason',
  'submitted_at',
  'sent_at',
  'tries',
  'next_try_at',
  'retry_reason',
  'cancel_asked_at',
  'started_at',
  'ended_at',
  'exit_code',
  'node_list',
  'usage',
  'tasks',
  'data',
  'folder',
] as const satisfies (keyof SubmissionRow)[]

const insertAll = prepare<{ id: string }>('submit', (db) => {
  const columns = sql.raw(submissionColumns.join())
  const lineColumns = sql.raw(activityColumns.join())
  return sql`
    with submission as (
      insert into submissions (${columns})
      select ${columns} from jsonb_populate_record(null::submissions, $1::jsonb)
      where exists (select from jobs where jobs.id = $3 and jobs.owner_id = $4
          and date_trunc('milliseconds', jobs.updated_at) = $5::timestamptz)
        and ${matchesFingerprint(sql`$6::jsonb`)} and caller_may($7::jsonb)
      returning id
    ), line as (
      insert into activities (${lineColumns})
      select ${lineColumns} from submission, jsonb_populate_record(null::activities, $2::jsonb)
    )
    select id from submission`.compile(db)
})
/**
 * Inserts a submission and its audit record in one statement, atomically and durably. Returns whether job and cluster
 * were unchanged since they were read and the caller may still submit; otherwise nothing is written.
 */
export const insertSubmission = async (
  db: Database,
  row: FoundSubmission,
  line: NewActivity,
  { job, cluster }: { job: FoundJob; cluster: string },
  claim: string,
): Promise<boolean> => {
  const compared = [job.id, job.owner_id, job.updated_at, cluster, claim]
  return (await insertAll(db, [JSON.stringify(row), JSON.stringify(line), ...compared])).length > 0
}
/** Updates only submissions that have not ended. */
const changeInProgress = (db: Queryable, id: string, values: Updateable<SubmissionRow>) =>
  db.updateTable('submissions').set(values).where('id', '=', id).where('ended_at', 'is', null).returning('id')

/** Updates a submission only while it is in progress. Returns whether it was. */
export const updateSubmission = async (
  db: Queryable,
  id: string,
  values: Updateable<SubmissionRow>,
): Promise<boolean> => (await changeInProgress(db, id, values).executeTakeFirst()) !== undefined

/** Updates a submission only while it has no number. Returns whether it had none. */
export const endUnsent = async (
  db: Queryable,
  id: string,
  values: Updateable<SubmissionRow>,
): Promise<boolean> =>
  (await changeInProgress(db, id, values).where('native_id', 'is', null).executeTakeFirst()) !== undefined

export type Arrival = { id: string; nativeId: string }
const reconcile = prepare<SubmissionRecord>('settle submissions', () => {
  const columns = submissionColumns.map((column) => `submissions.${column}`).join()
  return `
  update submissions
  set native_id = "nativeId", state = case when state = 'submitting' then 'queued' else state end,
    tries = 0, next_try_at = null, retry_reason = null
  from jsonb_to_recordset($1::jsonb) as arrived (arrived_id text, "nativeId" text),
    set_config('synchronous_commit', 'off', true)
  where id = arrived_id returning ${columns}`
})
/**
 * Stores the resource manager's numbers of submissions and keeps newer states from the poller. The commit is
 * asynchronous: if the database loses a number in a crash, it is found again by the mark, as after a lost reply.
 */
export const reconcileSubmissions = async (
  db: Database,
  arrivals: Arrival[],
): Promise<(FoundSubmission | undefined)[]> => {
  const all = arrivals.map(({ id, nativeId }) => ({ arrived_id: id, nativeId }))
  const rows = parsedSubmissions(await reconcile(db, [JSON.stringify(all)]))
  return arrivals.map((arrival) => rows.find(({ id }) => id === arrival.id))
}

/** Claims the right to send a submission again. Returns false if another server has claimed it. */
export const claim = async (db: Queryable, row: FoundSubmission, at: Date): Promise<boolean> =>
  (await db
    .updateTable('submissions')
    .set({ sent_at: at, next_try_at: null })
    .where('id', '=', row.id)
    .where(sql<boolean>`(sent_at, next_try_at) is not distinct from (${row.sent_at}, ${row.next_try_at})`)
    .where('native_id', 'is', null)
    .where('ended_at', 'is', null)
    .returning('id')
    .executeTakeFirst()) !== undefined

/** Waiting jobs that would run as admin, of users who are not admins. */
export const waitingOfFormerAdmins = async (db: Queryable): Promise<FoundSubmission[]> =>
  parsedSubmissions(
    await db
      .selectFrom('submissions')
      .select(submissionColumns)
      .where('run_as_admin', '=', true)
      .where('native_id', 'is not', null)
      .where('started_at', 'is', null)
      .where('ended_at', 'is', null)
      .where(
        sql<boolean>`not exists (select from users where users.id = submissions.user_id and ${isAdminSql(sql`users.role`)})`,
      )
      .execute(),
  )

/** A user's running and waiting jobs, except apps. */
export const runningOf = async (db: Queryable, userId: string): Promise<FoundSubmission[]> =>
  parsedSubmissions(
    await db
      .selectFrom('submissions')
      .select(submissionColumns)
      .where('user_id', '=', userId)
      .where('ended_at', 'is', null)
      .where(
        sql<boolean>`not exists (select from app_sessions where app_sessions.job_id = submissions.job_id)`,
      )
      .orderBy('submitted_at')
      .execute(),
  )

/** Submissions of unknown outcome that were sent before this time or are due to be sent again. */
export const unconfirmed = async (db: Queryable, before: Date): Promise<string[]> =>
  (
    await db
      .selectFrom('submissions')
      .select('id')
      .where('ended_at', 'is', null)
      .where('native_id', 'is', null)
      .where(sql<boolean>`coalesce(next_try_at, sent_at, submitted_at) < ${before}`)
      .execute()
  ).map(({ id }) => id)

export const isInProgress = async (db: Queryable, jobId: string): Promise<boolean> =>
  (await db
    .selectFrom('submissions')
    .select('id')
    .where('job_id', '=', jobId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()) !== undefined
