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
 * Secrets that work once: recovery links, invitations and emailed codes. The database contains only their hashes, keyed
 * with the master key because six digits could be guessed from a plain hash.
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
    /** Creates the secret of a link, which replaces an earlier one. */
    async makeLink(tx: Transaction, userId: string, purpose: 'reset' | 'invitation') {
      const secret = randomBytes(32).toString('base64url')
      return { secret, expiresAt: await keep(tx, userId, purpose, hash(purpose, secret)) }
    },
    /** The owner of a link, or null. */
    async ownerOfLink(secret: string, purpose: 'reset' | 'invitation'): Promise<string | null> {
      return (
        (await store.findByHash(db.kysely, purpose, hash(purpose, secret), new Date(now())))?.user_id ?? null
      )
    },
    /**
     * Uses up a link. Returns its owner, or null; with `of`, only if it is this user's. Of two concurrent calls only
     * one succeeds.
     */
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
    /** Invalidates secrets that were emailed and not used yet. */
    forget: (tx: Transaction, userId: string, ...purposes: Purpose[]) => store.removeOf(tx, userId, purposes),
    async makeCode(tx: Transaction, userId: string): Promise<string> {
      const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0')
      await keep(tx, userId, 'verify', hash('verify', userId, code))
      return code
    },
    /** Uses up the code if it is correct. A wrong one counts as an attempt, and after a few the code is invalidated. */
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
