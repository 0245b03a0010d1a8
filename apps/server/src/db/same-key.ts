import type { Database } from './database'

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
  const { master_key_mark: known } = await db.kysely
    .selectFrom('site_settings')
    .select('master_key_mark')
    .executeTakeFirstOrThrow()
  if (known !== mark)
    throw new Error(
      'The master key does not belong to this database, whose secrets were sealed with another key. ' +
        'Point MASTER_KEY_FILE to the right file, or restore it from a backup.',
    )
}
