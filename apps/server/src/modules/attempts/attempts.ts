import { createHash } from 'node:crypto'
import { ATTEMPTS_ANYWHERE_MAX, ATTEMPTS_MAX } from '@flotilla/contract/limits'
import { countText } from '@flotilla/contract/count-text'
import { fail } from '../../fail'
import type { Database, Transaction } from '../../db/database'
import * as store from './store'

/** Bounds the number of keys for usernames, however many different ones strangers try. */
const BUCKET_HEX_DIGITS = 5
/**
 * The bucket in which attempts with a username are counted. The number of buckets is bounded, so random usernames do
 * not fill the table. The username itself is not stored, because it may be a password typed into the wrong field.
 */
export const bucketOf = (name: string): string =>
  createHash('sha256').update(name).digest('hex').slice(0, BUCKET_HEX_DIGITS)

/** The key that counts guesses at a user's password from a session of that user. */
export const passwordAttempt = (userId: string): string => `password ${userId}`

/** The key that counts guesses at an account's password, in total or from one network. */
export const loginAttempt = (username: string, network?: string): string =>
  `login ${bucketOf(username)}${network === undefined ? '' : ` from ${network}`}`
/** The key that counts guesses at the code that confirms an email address. */
export const verifyAttempt = (username: string): string => `verify ${bucketOf(username)}`

/** Whether no attempt is left after this many. */
const isSpent = (key: string, count: number): boolean =>
  count >= (/^login \S+$/.test(key) ? ATTEMPTS_ANYWHERE_MAX : ATTEMPTS_MAX)

/**
 * Counts attempts in the database, so that limits hold across servers and restarts. An attempt is counted before it is
 * made, so that concurrent attempts cannot exceed the limit.
 */
export type Attempts = ReturnType<typeof makeAttempts>
export function makeAttempts(db: Database, now: () => number) {
  /** Counts an attempt. Returns the milliseconds to wait if it exceeds the limit, otherwise 0. */
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
    /** Fails if no attempt is left, without counting one: for attempts that count only when they fail. */
    async require(key: string, max: number): Promise<void> {
      const made = await store.find(db.kysely, key, new Date(now()))
      if (made && made.count >= max) refuse(Math.max(1, made.window_ends_at.getTime() - now()))
    },
    /** Limits actions that are not guesses at a secret. `what` completes the sentence “You have …” in the error. */
    async limit(key: string, max: number, windowMs: number, what: string): Promise<void> {
      const wait = await count(key, max, windowMs)
      if (wait > 0)
        fail('too_many_requests', {
          message: `You have ${what} ${max} times within ${countText(windowMs / 1000, 'second')}. Try again in ${waitText(wait)}.`,
          retryAfter: Math.ceil(wait / 1000),
        })
    },
    /** Uncounts an attempt that was not a wrong guess. */
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
    /** Clears the attempts at an account, from every network. */
    async lift(tx: Transaction, person: { id: string; username: string }): Promise<void> {
      const { id, username } = person
      await store.removeAll(tx, [passwordAttempt(id), verifyAttempt(username), loginAttempt(username)])
    },
    sweep: () => store.removeEnded(db.kysely, new Date(now())),
  }
}

const MINUTE_MS = 60_000
/** Rounds up, so that the text never promises too short a wait. */
const waitText = (ms: number): string =>
  ms > MINUTE_MS ? countText(Math.ceil(ms / MINUTE_MS), 'minute') : countText(Math.ceil(ms / 1000), 'second')
