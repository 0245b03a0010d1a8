import { createHmac, randomBytes, randomInt } from 'node:crypto'
import {
  CODE_ATTEMPTS,
  CODE_DIGITS,
  CODE_LIFE_MS,
  INVITATION_LIFE_MS,
  RESET_LIFE_MS,
} from '@flotilla/contract/limits'
import type { Database, Transaction } from '../../db/database'
import { newId } from '../../ids'
import * as store from './store'

const lives = { reset: RESET_LIFE_MS, verify: CODE_LIFE_MS, invitation: INVITATION_LIFE_MS }
type Purpose = keyof typeof lives

/**
 * Secrets that work once: recovery links, invitations and mailed codes. The database holds only their hash, keyed with the
 * master key because six digits could be guessed from a plain one.
 */
export type OneTime = ReturnType<typeof makeOneTime>
export function makeOneTime(db: Database, key: Buffer, now: () => number) {
  const hash = (...parts: string[]) => createHmac('sha256', key).update(parts.join('\n')).digest('base64url')
  const keep = async (tx: Transaction, userId: string, purpose: Purpose, hashed: string) => {
    const expiresAt = new Date(now() + lives[purpose])
    await store.replace(tx, { id: newId(), user_id: userId, purpose, hash: hashed, expires_at: expiresAt })
    return expiresAt.getTime()
  }
  return {
    /** Makes a secret for a link; it takes the place of an earlier one. */
    async makeLink(tx: Transaction, userId: string, purpose: 'reset' | 'invitation') {
      const secret = randomBytes(32).toString('base64url')
      return { secret, expiresAt: await keep(tx, userId, purpose, hash(purpose, secret)) }
    },
    /** Whose link this is, or null. */
    async ownerOfLink(secret: string, purpose: 'reset' | 'invitation'): Promise<string | null> {
      return (
        (await store.findByHash(db.kysely, purpose, hash(purpose, secret), new Date(now())))?.user_id ?? null
      )
    },
    /** Uses the link up and says whose it was, or null; with `of` only when it is that person's. Of two at once only one gets it. */
    async useLink(
      tx: Transaction,
      secret: string,
      purpose: 'reset' | 'invitation',
      of?: string,
    ): Promise<string | null> {
      return (
        (await store.takeByHash(tx, purpose, hash(purpose, secret), new Date(now()), of))?.user_id ?? null
      )
    },
    /** What was mailed and is not used yet becomes worthless. */
    forget: (tx: Transaction, userId: string, ...purposes: Purpose[]) => store.removeOf(tx, userId, purposes),
    async makeCode(tx: Transaction, userId: string): Promise<string> {
      const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0')
      await keep(tx, userId, 'verify', hash('verify', userId, code))
      return code
    },
    /** Uses the code up when it is right; a wrong one costs an attempt, and after a few the code is gone. */
    async useCode(tx: Transaction, userId: string, code: string): Promise<boolean> {
      const row = await store.lockCode(tx, userId, new Date(now()))
      if (!row) return false
      const right = row.hash === hash('verify', userId, code)
      if (right || row.attempts + 1 >= CODE_ATTEMPTS) await store.remove(tx, row.id)
      else await store.countAttempt(tx, row.id)
      return right
    },
    sweep: () => store.removeExpired(db.kysely, new Date(now())),
  }
}
