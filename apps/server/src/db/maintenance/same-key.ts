import type { Database, Queryable } from '../database'

export const keyMark = async (db: Queryable): Promise<string | null> =>
  (await db.selectFrom('site_settings').select('master_key_mark').executeTakeFirstOrThrow()).master_key_mark

export const setKeyMark = (db: Queryable, mark: string) =>
  db.updateTable('site_settings').set({ master_key_mark: mark }).execute()

/**
 * The database records which master key its secrets are sealed with, as a hash of a key derived from it. Another key
 * could open none of them, and the right key could open nothing that the other sealed, so the server does not start
 * with it.
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
