import { countText } from '@flotilla/contract/count-text'
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
    const { count } = await store.increment(db.kysely, key, new Date(now()), new Date(now() + windowMs))
    if (count > max) fail('too_many_attempts')
  },
  /** For what is no guess at a secret: the refusal may say how long to wait. `what` stands in a sentence. */
  async limit(key: string, max: number, windowMs: number, what: string): Promise<void> {
    const { count, endsAt } = await store.increment(
      db.kysely,
      key,
      new Date(now()),
      new Date(now() + windowMs),
    )
    if (count <= max) return
    const wait = countText(Math.max(1, Math.ceil((endsAt.getTime() - now()) / 1000)), 'second')
    fail('too_many_requests', {
      message: `You have ${what} ${max} times within ${countText(windowMs / 1000, 'second')}. Try again in ${wait}.`,
    })
  },
  async clear(key: string): Promise<void> {
    await store.remove(db.kysely, key)
  },
  sweep: () => store.removeEnded(db.kysely, new Date(now())),
})
