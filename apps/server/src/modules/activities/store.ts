import type { Insertable } from 'kysely'
import type { Queryable, Transaction } from '../../db/database'
import type { ActivityRow } from '../../db/tables'

export const insert = (tx: Transaction, row: Insertable<ActivityRow>) =>
  tx.insertInto('activities').values(row).execute()

/** The cursor is the id of the last line seen; anything else finds nothing newer than the end. */
export const list = (db: Queryable, limit: number, cursor: string | undefined) =>
  db
    .selectFrom('activities')
    .selectAll()
    .$if(cursor !== undefined, (query) => query.where('id', '<', Number.parseInt(cursor ?? '', 10) || 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
