import { sql } from 'kysely'
import type { Queryable, Transaction } from './database'

/**
 * Waits for what is being done for a person and holds off what comes after, until the transaction ends: for whatever takes a
 * right away from them. It comes before every other lock of the transaction, and several of them in the order of the ids.
 */
export const lockPerson = (tx: Transaction, id: string) => sql`select lock_person(${id})`.execute(tx)

/** Whether a request may still do what it was allowed to; in a transaction it then may until the end of that. */
export async function callerMay(db: Queryable, claim: string): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`select caller_may(${claim}::jsonb) as may`.execute(db)
  return rows.some(({ may }) => may)
}
