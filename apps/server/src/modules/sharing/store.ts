import type { Queryable } from '../../db/database'

export const usersNamed = (db: Queryable, usernames: string[]) =>
  usernames.length === 0
    ? Promise.resolve([])
    : db.selectFrom('users').select(['id', 'username']).where('username', 'in', usernames).execute()
