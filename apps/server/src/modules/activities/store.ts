import type { Insertable } from 'kysely'
import type { Queryable, Transaction } from '../../db/database'
import type { ActivityRow } from '../../db/tables'

/** All but its number, which the table gives. */
export const activityColumns = [
  'time',
  'actor_id',
  'actor',
  'action',
  'subject',
  'detail',
  'request_id',
  'cluster_id',
] as const satisfies (keyof ActivityRow)[]

export type NewActivity = Insertable<ActivityRow>
export const insert = (tx: Transaction, row: NewActivity) => tx.insertInto('activities').values(row).execute()

/** What is older than the line `before`. */
export const list = (db: Queryable, limit: number, before: number | undefined) =>
  db
    .selectFrom('activities')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
