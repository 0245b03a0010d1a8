import { createHash } from 'node:crypto'
import { ATTEMPTS_ANYWHERE_MAX, ATTEMPTS_MAX } from '@flotilla/contract/limits'
import { countText } from '@flotilla/contract/count-text'
import { fail } from '../../fail'
import type { Database, Transaction } from '../../db/database'
import * as store from './store'

/** As many keys as names that strangers type can have at most, however many they invent. */
const BUCKET_HEX_DIGITS = 5
/**
 * Stands for a name that a stranger typed. There is a bounded number of them, so random names do not fill the table; and a
 * name is not written down, as it may be a password typed into the wrong field.
 */
export const bucketOf = (name: string): string =>
  createHash('sha256').update(name).digest('hex').slice(0, BUCKET_HEX_DIGITS)

/** The key under which guesses at a user's password with one of their sessions are counted. */
export const passwordAttempt = (userId: string): string => `password ${userId}`

/** The key under which guesses at the password of an account are counted, anywhere or from one network. */
export const loginAttempt = (username: string, network?: string): string =>
  `login ${bucketOf(username)}${network === undefined ? '' : ` from ${network}`}`
/** The same for codes that confirm an address. */
export const verifyAttempt = (username: string): string => `verify ${bucketOf(username)}`

/** Whether this many attempts mean waiting. */
const isSpent = (key: string, count: number): boolean =>
  count >= (/^login \S+$/.test(key) ? ATTEMPTS_ANYWHERE_MAX : ATTEMPTS_MAX)

/**
 * Counts attempts in the database, so that they hold for all servers and after a restart. An attempt counts before it is
 * tried: many at once get no more tries than one after the other.
 */
export type Attempts = ReturnType<typeof makeAttempts>
export function makeAttempts(db: Database, now: () => number) {
  /** Counts one more; the milliseconds to wait when it is one too many, or else 0. */
  const count = async (key: string, max: number, windowMs: number): Promise<number> => {
    const at = now()
    const { count: made, endsAt } = await store.increment(
      db.kysely,
      key,
      new Date(at),
      new Date(at + windowMs),
    )
    return made > max ? Math.max(1, endsAt.getTime() - at) : 0
  }

  const refuse = (wait: number): void => {
    if (wait > 0)
      fail('too_many_attempts', {
        message: `Too many attempts. Try again in ${waitText(wait)}.`,
        retryAfter: Math.ceil(wait / 1000),
      })
  }

  return {
    take: async (key: string, max: number, windowMs: number): Promise<void> =>
      refuse(await count(key, max, windowMs)),
    /** Refuses what comes after the last attempt, without counting: for attempts that count only when they fail. */
    async require(key: string, max: number): Promise<void> {
      const made = await store.find(db.kysely, key, new Date(now()))
      if (made && made.count >= max) refuse(Math.max(1, made.window_ends_at.getTime() - now()))
    },
    /** For what is no guess at a secret: the refusal says what was done too often. `what` stands in a sentence. */
    async limit(key: string, max: number, windowMs: number, what: string): Promise<void> {
      const wait = await count(key, max, windowMs)
      if (wait > 0)
        fail('too_many_requests', {
          message: `You have ${what} ${max} times within ${countText(windowMs / 1000, 'second')}. Try again in ${waitText(wait)}.`,
          retryAfter: Math.ceil(wait / 1000),
        })
    },
    /** Takes back an attempt that succeeded. */
    giveBack: (key: string): Promise<unknown> => store.decrement(db.kysely, key),
    async clear(key: string): Promise<void> {
      await store.remove(db.kysely, key)
    },
    /** The keys of accounts with no attempt left, and until when. */
    async lockouts(): Promise<{ key: string; until: number }[]> {
      const rows = await store.ofAccounts(db.kysely, new Date(now()))
      return rows
        .filter((row) => isSpent(row.key, row.count))
        .map(({ key, window_ends_at }) => ({ key, until: window_ends_at.getTime() }))
    },
    /** With those from every network. */
    async lift(tx: Transaction, person: { id: string; username: string }): Promise<void> {
      const { id, username } = person
      await store.removeAll(tx, [passwordAttempt(id), verifyAttempt(username), loginAttempt(username)])
    },
    sweep: () => store.removeEnded(db.kysely, new Date(now())),
  }
}

const MINUTE_MS = 60_000
/** Never less than it is. */
const waitText = (ms: number): string =>
  ms > MINUTE_MS ? countText(Math.ceil(ms / MINUTE_MS), 'minute') : countText(Math.ceil(ms / 1000), 'second')
