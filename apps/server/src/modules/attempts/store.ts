import { sql } from 'kysely'
import type { Queryable } from '../../db/database'

/** Counts an attempt. Returns the count in its window, including this attempt, and the end of the window. */
export async function increment(
  db: Queryable,
  key: string,
  now: Date,
  windowEnd: Date,
): Promise<{ count: number; endsAt: Date }> {
  const ended = sql<boolean>`attempts.window_ends_at < ${now}`
  const row = await db
    .insertInto('attempts')
    .values({ key, count: 1, window_ends_at: windowEnd })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql`case when ${ended} then 1 else attempts.count + 1 end`,
        window_ends_at: sql`case when ${ended} then ${windowEnd} else attempts.window_ends_at end`,
      }),
    )
    .returning(['count', 'window_ends_at'])
    .executeTakeFirstOrThrow()
  return { count: row.count, endsAt: row.window_ends_at }
}

/** The attempts in a window that has not ended. */
export const find = (db: Queryable, key: string, now: Date) =>
  db
    .selectFrom('attempts')
    .select(['count', 'window_ends_at'])
    .where('key', '=', key)
    .where('window_ends_at', '>=', now)
    .executeTakeFirst()

export const decrement = (db: Queryable, key: string) =>
  db
    .updateTable('attempts')
    .set((row) => ({ count: row('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute()

export const remove = (db: Queryable, key: string) =>
  db.deleteFrom('attempts').where('key', '=', key).execute()

/** The attempts at account passwords, in windows that have not ended. */
export const ofAccounts = (db: Queryable, now: Date) =>
  db
    .selectFrom('attempts')
    .selectAll()
    .where(sql<boolean>`(key like 'login %' or key like 'password %')`)
    .where('window_ends_at', '>=', now)
    .orderBy('window_ends_at', 'desc')
    .execute()

/** Also removes the attempts with these keys from single networks. */
export const removeAll = (db: Queryable, keys: string[]) =>
  db
    .deleteFrom('attempts')
    .where((either) =>
      either.or(keys.flatMap((key) => [either('key', '=', key), either('key', 'like', `${key} from %`)])),
    )
    .execute()

export const removeEnded = (db: Queryable, now: Date) =>
  db.deleteFrom('attempts').where('window_ends_at', '<', now).execute()
