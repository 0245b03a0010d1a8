import type { Database, Queryable } from '../database'

export const keyMark = async (db: Queryable): Promise<string | null> =>
  (await db.selectFrom('site_settings').select('master_key_mark').executeTakeFirstOrThrow()).master_key_mark

export const setKeyMark = (db: Queryable, mark: string) =>
  db.updateTable('site_settings').set({ master_key_mark: mark }).execute()

/**
 * The database remembers which master key its secrets are sealed with, as a hash of a key derived from it. Another key
 * would open nothing, and what it sealed the first would not open: better not to start at all.
 */
export async function requireSameKey(db: Database, mark: string): Promise<void> {
  await db.kysely
    .updateTable('site_settings')
    .set({ master_key_mark: mark })
    .where('master_key_mark', 'is', null)
    .execute()
  if ((await keyMark(db.kysely)) !== mark)
    throw new Error(
      'The master key does not belong to this database, whose secrets were sealed with another key. ' +
        'Point MASTER_KEY_FILE to the right file, or restore it from a backup.',
    )
}
