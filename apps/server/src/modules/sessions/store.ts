import { sql, type Insertable, type Selectable } from 'kysely'
import type { Database, Queryable, Transaction } from '../../db/database'
import { prepare } from '../../db/connection/prepared'
import type { SessionRow } from '../../db/tables/people'

export const insert = (tx: Transaction, row: Insertable<SessionRow>) =>
  tx.insertInto('sessions').values(row).execute()

/**
 * Finds a session with the current data of its user. It expires with the account at the latest, and is not found while
 * the user is unverified.
 */
export const find = (db: Queryable, id: string) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id',
      'users.id as userId',
      'users.username',
      'users.role',
      'sessions.last_active_at as lastActiveAt',
      'sessions.confirmed_at as confirmedAt',
      sql<Date>`least(sessions.expires_at, users.end_time)`.as('expiresAt'),
    ])
    .where('sessions.id', '=', id)
    .where('users.verified', '=', true)
    .executeTakeFirst()

export const setConfirmed = (tx: Transaction, id: string, at: Date) =>
  tx.updateTable('sessions').set({ confirmed_at: at }).where('id', '=', id).execute()

export const confirmation = (db: Queryable, id: string) =>
  db.selectFrom('sessions').select('confirmed_at as at').where('id', '=', id).executeTakeFirst()

export const touch = (db: Queryable, id: string, at: Date) =>
  db.updateTable('sessions').set({ last_active_at: at }).where('id', '=', id).execute()

const listed = prepare<Selectable<SessionRow>>('sessions of a person', (db) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', sql<string>`$1`)
    .orderBy('last_active_at', 'desc')
    .compile(),
)
export const listOf = (db: Database, userId: string) => listed(db, [userId])

export const remove = async (db: Queryable, id: string, userId: string): Promise<number> =>
  Number(
    (await db.deleteFrom('sessions').where('id', '=', id).where('user_id', '=', userId).executeTakeFirst())
      .numDeletedRows,
  )

export const removeAll = async (db: Queryable, userId: string, except?: string): Promise<number> => {
  const result = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(except !== undefined, (query) => query.where('id', '<>', except ?? ''))
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

/** Longer than a task takes to end the sessions of an account that has ended. */
const END_TASK_MS = 30_000

export const removeEnded = (db: Queryable, now: Date, idleSince: Date | null) =>
  db
    .deleteFrom('sessions')
    .where((either) =>
      either.or([
        either('expires_at', '<=', now),
        ...(idleSince ? [either('last_active_at', '<', idleSince)] : []),
        either.exists(
          either
            .selectFrom('users')
            .select('users.id')
            .whereRef('users.id', '=', 'sessions.user_id')
            // The task that ends them notifies their browsers first.
            .where('end_time', '<=', new Date(now.getTime() - END_TASK_MS)),
        ),
      ]),
    )
    .execute()
