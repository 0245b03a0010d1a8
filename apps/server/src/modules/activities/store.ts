import type { Queryable, Transaction } from '../../db/database'
import type { NewActivity } from '../../db/tables'

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
