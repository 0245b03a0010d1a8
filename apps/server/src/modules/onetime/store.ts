import type { Insertable } from 'kysely'
import type { Queryable, Transaction } from '../../db/database'
import type { OneTimeSecretRow } from '../../db/tables/people'

/** Keeps one valid secret per user and purpose. */
export async function replace(tx: Transaction, row: Insertable<OneTimeSecretRow>): Promise<void> {
  // Locks the user, because two concurrent secrets would both remain.
  await tx.selectFrom('users').select('id').where('id', '=', row.user_id).forNoKeyUpdate().execute()
  await removeOf(tx, row.user_id, [row.purpose])
  await tx.insertInto('one_time_secrets').values(row).execute()
}

export const removeOf = (tx: Transaction, userId: string, purposes: OneTimeSecretRow['purpose'][]) =>
  tx.deleteFrom('one_time_secrets').where('user_id', '=', userId).where('purpose', 'in', purposes).execute()

export const findByHash = (db: Queryable, purpose: OneTimeSecretRow['purpose'], hash: string, now: Date) =>
  db
    .selectFrom('one_time_secrets')
    .select('user_id')
    .where('purpose', '=', purpose)
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()

export const takeByHash = (
  tx: Transaction,
  purpose: OneTimeSecretRow['purpose'],
  hash: string,
  now: Date,
  userId?: string,
) =>
  tx
    .deleteFrom('one_time_secrets')
    .where('purpose', '=', purpose)
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .returning('user_id')
    .executeTakeFirst()

export const lockCode = (tx: Transaction, userId: string, now: Date) =>
  tx
    .selectFrom('one_time_secrets')
    .select(['id', 'hash', 'attempts'])
    .where('user_id', '=', userId)
    .where('purpose', '=', 'verify')
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst()

export const countAttempt = (tx: Transaction, id: string) =>
  tx
    .updateTable('one_time_secrets')
    .set((row) => ({ attempts: row('attempts', '+', 1) }))
    .where('id', '=', id)
    .execute()

export const remove = (tx: Transaction, id: string) =>
  tx.deleteFrom('one_time_secrets').where('id', '=', id).execute()

export const removeExpired = (db: Queryable, now: Date) =>
  db.deleteFrom('one_time_secrets').where('expires_at', '<', now).execute()
