import { sql } from 'kysely'
import type { Queryable } from './database'

/** An owner with the roles they have now, for what goes on without a request of theirs; and when their account ends. */
export const personOf = (db: Queryable, userId: string) =>
  db
    .selectFrom('users')
    .select(['id', 'username', 'role', 'end_time'])
    .where('id', '=', userId)
    .executeTakeFirst()

export const usersNamed = (db: Queryable, usernames: string[]) =>
  usernames.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('users')
        .select(['id', 'username'])
        .where('username', '=', sql<string>`any(${usernames}::text[])`)
        .execute()
