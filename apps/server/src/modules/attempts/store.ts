import { sql } from 'kysely'
import type { Queryable } from '../../db/database'

export async function increment(db: Queryable, key: string, now: Date, windowEnd: Date): Promise<number> {
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
    .returning('count')
    .executeTakeFirstOrThrow()
  return row.count
}

export const remove = (db: Queryable, key: string) =>
  db.deleteFrom('attempts').where('key', '=', key).execute()

export const removeEnded = (db: Queryable, now: Date) =>
  db.deleteFrom('attempts').where('window_ends_at', '<', now).execute()
