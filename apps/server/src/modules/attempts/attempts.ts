import { fail } from '../../fail'
import type { Database } from '../../db/database'
import * as store from './store'

/**
 * Counts attempts by account in the database, so that they hold for all servers and after a restart. An attempt counts
 * before it is tried: many at once get no more tries than one after the other.
 */
export type Attempts = ReturnType<typeof makeAttempts>
export const makeAttempts = (db: Database, now: () => number) => ({
  async take(key: string, max: number, windowMs: number): Promise<void> {
    const count = await store.increment(db.kysely, key, new Date(now()), new Date(now() + windowMs))
    if (count > max) fail('too_many_attempts')
  },
  async clear(key: string): Promise<void> {
    await store.remove(db.kysely, key)
  },
  sweep: () => store.removeEnded(db.kysely, new Date(now())),
})
