import { sql } from 'kysely'
import type { Queryable, Transaction } from './database'

/**
 * Locks a user's rights until the transaction ends: waits for the writes in progress for them and blocks later ones.
 * Whatever revokes a right takes this lock before every other lock of its transaction, and several in the order of the
 * ids.
 */
export const lockPerson = (tx: Transaction, id: string) => sql`select lock_person(${id})`.execute(tx)

/**
 * Whether a request still has the rights that it was allowed with. In a transaction, they are then locked until its
 * end.
 */
export async function callerMay(db: Queryable, claim: string): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`select caller_may(${claim}::jsonb) as may`.execute(db)
  return rows.some(({ may }) => may)
}
