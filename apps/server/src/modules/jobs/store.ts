import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { Cursor } from '../../cursors'
import type { Queryable, Transaction } from '../../db/database'
import type { JobRow, SubmissionRow } from '../../db/tables'

export type FoundSubmission = Selectable<SubmissionRow>

export type Viewer = { id: string; admin: boolean }
const ownedBy = (viewer: Viewer) =>
  viewer.admin ? sql<boolean>`true` : sql<boolean>`jobs.owner_id = ${viewer.id}`

const jobs = (db: Queryable) =>
  db
    .selectFrom('jobs')
    .innerJoin('users as owner', 'owner.id', 'jobs.owner_id')
    .selectAll('jobs')
    .select('owner.username as owner')
export type FoundJob = Awaited<ReturnType<ReturnType<typeof jobs>['executeTakeFirstOrThrow']>>

export const find = (db: Queryable, id: string, viewer: Viewer) =>
  jobs(db).where('jobs.id', '=', id).where(ownedBy(viewer)).executeTakeFirst()

export const list = (db: Queryable, viewer: Viewer, limit: number, after?: Cursor) => {
  const query = jobs(db)
    .where(ownedBy(viewer))
    .orderBy('jobs.created_at', 'desc')
    .orderBy('jobs.id', 'desc')
    .limit(limit)
  return (
    after ? query.where(sql<boolean>`(jobs.created_at, jobs.id) < (${after.at}, ${after.id})`) : query
  ).execute()
}

export const insert = (tx: Transaction, row: Insertable<JobRow>) =>
  tx.insertInto('jobs').values(row).execute()
export const update = (tx: Transaction, id: string, values: Updateable<JobRow>) =>
  tx.updateTable('jobs').set(values).where('id', '=', id).execute()
export const remove = (tx: Transaction, id: string) => tx.deleteFrom('jobs').where('id', '=', id).execute()

export const namesOf = (db: Queryable, ownerId: string) =>
  db.selectFrom('jobs').select(['id', 'name']).where('owner_id', '=', ownerId).orderBy('name').execute()
export const handOver = async (tx: Transaction, from: string, to: string): Promise<void> => {
  await tx.updateTable('jobs').set({ owner_id: to }).where('owner_id', '=', from).execute()
}

/** The newest submission of each of these jobs. */
export const lastSubmissions = (db: Queryable, jobIds: string[]) =>
  jobIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('submissions')
        .distinctOn('job_id')
        .selectAll()
        .where('job_id', 'in', jobIds)
        .orderBy('job_id')
        .orderBy('submitted_at', 'desc')
        .orderBy('id', 'desc')
        .execute()

export const submissions = (db: Queryable, jobId: string, limit: number, after?: Cursor) => {
  const query = db
    .selectFrom('submissions')
    .selectAll()
    .where('job_id', '=', jobId)
    .orderBy('submitted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  return (
    after ? query.where(sql<boolean>`(submitted_at, id) < (${after.at}, ${after.id})`) : query
  ).execute()
}
export const submission = (db: Queryable, id: string) =>
  db.selectFrom('submissions').selectAll().where('id', '=', id).executeTakeFirst()
export const submissionByKey = (db: Queryable, userId: string, key: string) =>
  db
    .selectFrom('submissions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('request_key', '=', key)
    .executeTakeFirst()

export const insertSubmission = (tx: Transaction, row: Insertable<SubmissionRow>) =>
  tx.insertInto('submissions').values(row).execute()
/** What has ended stays as it ended. */
const changeUnderWay = (db: Queryable, id: string, values: Updateable<SubmissionRow>) =>
  db.updateTable('submissions').set(values).where('id', '=', id).where('ended_at', 'is', null).returning('id')

/** Only while it is under way. Answers whether it was. */
export const updateSubmission = async (
  db: Queryable,
  id: string,
  values: Updateable<SubmissionRow>,
): Promise<boolean> => (await changeUnderWay(db, id, values).executeTakeFirst()) !== undefined

/** Only while the resource manager has no number for it. */
export const endUnsent = async (
  db: Queryable,
  id: string,
  values: Updateable<SubmissionRow>,
): Promise<boolean> =>
  (await changeUnderWay(db, id, values).where('native_id', 'is', null).executeTakeFirst()) !== undefined

/** The resource manager's number for it. What the poller has seen meanwhile of its state stays. Answers whether it is under way. */
export const settleSubmission = async (db: Queryable, id: string, nativeId: string): Promise<boolean> => {
  const state = sql<SubmissionRow['state']>`case when state = 'submitting' then 'queued' else state end`
  const row = await db
    .updateTable('submissions')
    .set({ native_id: nativeId, state })
    .where('id', '=', id)
    .returning('ended_at')
    .executeTakeFirst()
  return row?.ended_at === null
}

export const underWay = (db: Queryable, clusterId: string) =>
  db
    .selectFrom('submissions')
    .innerJoin('jobs', 'jobs.id', 'submissions.job_id')
    .selectAll('submissions')
    .select('jobs.owner_id')
    .where('submissions.cluster_id', '=', clusterId)
    .where('submissions.ended_at', 'is', null)
    .execute()
export const isUnderWay = async (db: Queryable, jobId: string): Promise<boolean> =>
  (await db
    .selectFrom('submissions')
    .select('id')
    .where('job_id', '=', jobId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()) !== undefined

/** Which jobs of ours these submissions belong to. */
export const jobsOfSubmissions = (db: Queryable, ids: string[]) =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('submissions')
        .select(['id', 'job_id'])
        .where('id', '=', sql<string>`any(${ids})`)
        .execute()
