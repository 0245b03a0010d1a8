import { sql } from 'kysely'
import type { Queryable } from './database'

/** An owner with their current roles and the end of their account, for work that runs without a request of theirs. */
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
