import type { Insertable, Updateable } from 'kysely'
import * as z from 'zod/mini'
import { AppInput } from '@flotilla/contract/apps/apps'
import type { AppRow, AppSessionRow, AppTicketRow } from '../../db/tables/apps'
import type { Queryable, Transaction } from '../../db/database'
import { shared } from '../../db/owned'
import { visibleTo, type Viewer } from '../../db/visible'

const apps = (db: Queryable) =>
  db
    .selectFrom('apps')
    .innerJoin('users as owner', 'owner.id', 'apps.owner_id')
    .selectAll('apps')
    .select('owner.username as owner')
type AppRecord = Awaited<ReturnType<ReturnType<typeof apps>['executeTakeFirstOrThrow']>>

const AppData = z.omit(AppInput, { name: true })
/** The only place where the JSON of an app is parsed. */
const parsed = async (query: { execute(): Promise<AppRecord[]> }) =>
  (await query.execute()).map((row) => ({ ...row, data: AppData.parse(row.data) }))
export type FoundApp = Awaited<ReturnType<typeof parsed>>[number]

export const listApps = (db: Queryable) => parsed(apps(db).orderBy('apps.name').orderBy('apps.id'))
export const findApp = async (db: Queryable, id: string) =>
  (await parsed(apps(db).where('apps.id', '=', id)))[0]
export const insertApp = (tx: Transaction, row: Insertable<AppRow>) =>
  tx.insertInto('apps').values(row).execute()
export const updateApp = (tx: Transaction, id: string, values: Updateable<AppRow>) =>
  tx.updateTable('apps').set(values).where('id', '=', id).execute()
export const removeApp = (tx: Transaction, id: string) => tx.deleteFrom('apps').where('id', '=', id).execute()

const { collaborators } = shared('app_sessions')

/** Sessions with the first submission of their jobs: a user may have submitted the same job again manually. */
const sessions = (db: Queryable) =>
  db
    .selectFrom('app_sessions')
    .innerJoin('users as owner', 'owner.id', 'app_sessions.owner_id')
    .leftJoinLateral(
      (of) =>
        of
          .selectFrom('submissions')
          .select([
            'submissions.id as submission_id',
            'cluster_id',
            'cluster_name',
            'user_id',
            'submitted_by',
            'run_as_admin',
            'account',
            'native_id',
            'state',
            'reason',
            'submitted_at',
            'started_at',
            'ended_at',
            'node_list',
            'folder',
          ])
          .whereRef('submissions.job_id', '=', 'app_sessions.job_id')
          .orderBy('submitted_at')
          .limit(1)
          .as('job'),
      (join) => join.onTrue(),
    )
    .selectAll(['app_sessions', 'job'])
    .select('owner.username as owner')
    .select(collaborators.as('collaborators'))
type SessionRecord = Awaited<ReturnType<ReturnType<typeof sessions>['executeTakeFirstOrThrow']>>
export type FoundSession = Omit<SessionRecord, 'ready'> & Pick<AppInput, 'ready'>
/** The only place where the JSON of a session is parsed. */
const parsedSessions = async (query: { execute(): Promise<SessionRecord[]> }): Promise<FoundSession[]> =>
  (await query.execute()).map((row) => ({ ...row, ready: AppInput.shape.ready.parse(row.ready) }))

const oneSession = (db: Queryable, id: string) => sessions(db).where('app_sessions.id', '=', id)
export const findSession = async (db: Queryable, id: string, viewer: Viewer) =>
  (await parsedSessions(oneSession(db, id).where(visibleTo('app_sessions', viewer))))[0]
/** Finds a session for the system itself, regardless of who can see it. */
export const findAnySession = async (db: Queryable, id: string) =>
  (await parsedSessions(oneSession(db, id)))[0]
export const listSessions = (db: Queryable, viewer: Viewer, limit: number) =>
  parsedSessions(
    sessions(db)
      .where(visibleTo('app_sessions', viewer))
      .orderBy('app_sessions.created_at', 'desc')
      .limit(limit),
  )
/** Sessions that are running but not ready yet. */
export const startingSessions = (db: Queryable) =>
  parsedSessions(
    sessions(db)
      .where('closed_at', 'is', null)
      .where('ready_at', 'is', null)
      .where('job.state', '=', 'running'),
  )
/** Sessions that ended after users were last notified. */
export const endedSessions = (db: Queryable) =>
  parsedSessions(sessions(db).where('closed_at', 'is', null).where('job.ended_at', 'is not', null))
/** The sessions of these users that have not ended. */
export const openSessionsOf = (db: Queryable, ownerIds: string[]) =>
  parsedSessions(
    sessions(db)
      .where('app_sessions.owner_id', 'in', ownerIds)
      .where('closed_at', 'is', null)
      .where('job.ended_at', 'is', null),
  )
export const countOpen = async (db: Queryable, ownerId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('app_sessions')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

export const insertSession = (tx: Transaction, row: Insertable<AppSessionRow>) =>
  tx.insertInto('app_sessions').values(row).execute()
/** Returns whether the session was not marked before. */
export const markReady = async (tx: Transaction, id: string, at: Date): Promise<boolean> =>
  (await tx
    .updateTable('app_sessions')
    .set({ ready_at: at })
    .where('id', '=', id)
    .where('ready_at', 'is', null)
    .returning('id')
    .executeTakeFirst()) !== undefined
export const updateSession = (tx: Transaction, id: string, values: Updateable<AppSessionRow>) =>
  tx.updateTable('app_sessions').set(values).where('id', '=', id).execute()
export const removeSession = (tx: Transaction, id: string) =>
  tx.deleteFrom('app_sessions').where('id', '=', id).execute()
export const removeOldSessions = (db: Queryable, before: Date) =>
  db.deleteFrom('app_sessions').where('closed_at', '<', before).execute()

export const insertTicket = (tx: Transaction, row: Insertable<AppTicketRow>) =>
  tx.insertInto('app_tickets').values(row).execute()
/** Takes a ticket. Of two concurrent requests only one gets it. */
export const takeTicket = (db: Queryable, hash: string, sessionId: string, now: Date) =>
  db
    .deleteFrom('app_tickets')
    .where('hash', '=', hash)
    .where('session_id', '=', sessionId)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
export const removeExpiredTickets = (db: Queryable, now: Date) =>
  db.deleteFrom('app_tickets').where('expires_at', '<', now).execute()
