import { sql, type Insertable, type Updateable } from 'kysely'
import type { Queryable, Transaction } from '../../../db/database'
import type { TrainingRegistrationRow } from '../../../db/tables/trainings'

/**
 * Returns the registration of this address, creating it if there is none. `before` is the number of other
 * registrations, or null if it existed already.
 */
export const register = (
  tx: Transaction,
  row: Insertable<TrainingRegistrationRow>,
): Promise<{ id: string; before: number | null }> =>
  tx
    .insertInto('training_registrations')
    .values(row)
    // A no-op update, so that the existing row is returned.
    .onConflict((conflict) =>
      conflict.columns(['training_id', 'email']).doUpdateSet(({ ref }) => ({ email: ref('excluded.email') })),
    )
    .returning([
      'id',
      // An existing row has an xmax: this transaction, which has just locked it for the update.
      sql<number | null>`case when xmax = 0 then
        (select count(*)::int from training_registrations where training_id = ${row.training_id}) end`.as(
        'before',
      ),
    ])
    .executeTakeFirstOrThrow()

/** Locks a registration, so that concurrent logins of one person run one after the other. */
export const lock = (tx: Transaction, trainingId: string, email: string) =>
  tx
    .selectFrom('training_registrations')
    .selectAll()
    .where('training_id', '=', trainingId)
    .where('email', '=', email)
    .forUpdate()
    .executeTakeFirst()

export const update = (tx: Queryable, id: string, values: Updateable<TrainingRegistrationRow>) =>
  tx.updateTable('training_registrations').set(values).where('id', '=', id).executeTakeFirst()

export const ofEmails = (db: Queryable, trainingId: string, emails: string[]) =>
  db
    .selectFrom('training_registrations')
    .select(['id', 'email'])
    .where('training_id', '=', trainingId)
    .where('email', 'in', emails)
    .execute()

export const remove = (tx: Transaction, ids: string[]) =>
  tx.deleteFrom('training_registrations').where('id', 'in', ids).execute()

/**
 * Removes the oldest registrations that are neither verified nor seated, except this one. Returns how many were
 * removed.
 */
export const removeUnused = async (
  tx: Transaction,
  trainingId: string,
  except: string,
  limit: number,
): Promise<number> => {
  const unused = tx
    .selectFrom('training_registrations as r')
    .select('r.id')
    .where('r.training_id', '=', trainingId)
    .where('r.id', '<>', except)
    .where('r.verified_at', 'is', null)
    .where(sql<boolean>`not exists (select from training_seats s where s.registration_id = r.id)`)
    .orderBy('r.registered_at')
    .limit(limit)
    .forUpdate()
    // A locked registration is being used by a login.
    .skipLocked()
  const ids = (await unused.execute()).map(({ id }) => id)
  if (ids.length > 0) await remove(tx, ids)
  return ids.length
}

/** The newest first, with the seats of the participants who logged in. */
export const list = (db: Queryable, trainingId: string) =>
  db
    .selectFrom('training_registrations as r')
    .leftJoin('training_seats as s', 's.registration_id', 'r.id')
    .select(['r.id', 'r.full_name', 'r.email', 'r.registered_at', 'r.verified_at'])
    .select(['s.number', 's.joined_at', 's.last_seen_at', 's.online_ms', 's.cluster_id'])
    .where('r.training_id', '=', trainingId)
    .orderBy('r.registered_at', 'desc')
    .orderBy('r.id', 'desc')
    .execute()
export type FoundRegistration = Awaited<ReturnType<typeof list>>[number]
