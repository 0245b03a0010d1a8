import { countText } from '@flotilla/contract/count-text'
import { createHmac, randomBytes } from 'node:crypto'
import type * as z from 'zod/mini'
import {
  ACCESS_TOKEN_PREFIX,
  type AccessToken,
  type CreatedAccessToken,
  type NewAccessToken,
} from '@flotilla/contract/people/access-tokens'
import { ACCESS_TOKENS_MAX } from '@flotilla/contract/limits'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext, SessionCaller, TokenCaller } from '../../http/caller'
import { newId } from '../../ids'
import { record, subjectOf } from '../activities/activities'
import * as store from './store'

const DAY_MS = 24 * 60 * 60_000
/** The last use is written at most this often. */
const TOUCH_MS = 60_000
/** An expired token stays listed this long, so that a user whose script stopped working finds the reason. */
const SHOWN_EXPIRED_MS = 30 * DAY_MS

const SECRET_BYTES = 20

export const isAccessToken = (token: string): boolean => token.startsWith(ACCESS_TOKEN_PREFIX)

type Options = { db: Database; key: Buffer; now: () => number }

/**
 * Secrets with which scripts make calls as a user. Each use queries the database, so that a revoked token stops working
 * on every server at once.
 */
export type AccessTokens = ReturnType<typeof makeAccessTokens>
export function makeAccessTokens({ db, key, now }: Options) {
  // Keyed, so that write access to the database is not enough to forge one.
  const hash = (secret: string) => createHmac('sha256', key).update(secret).digest('base64url')

  return {
    async authenticate(secret: string, address: string): Promise<TokenCaller> {
      const at = now()
      const found =
        (await store.findWorking(db.kysely, hash(secret), new Date(at))) ?? fail('bad_access_token')
      const { id, scope, lastUsedAt, userId, username, role } = found
      const notSince = at - TOUCH_MS
      if (lastUsedAt === null || lastUsedAt.getTime() <= notSince)
        await store.touch(db.kysely, id, address, new Date(at), new Date(notSince))
      return { id: userId, username, role, tokenId: id, scope }
    },

    list: (me: Caller): Promise<AccessToken[]> => store.listOf(db.kysely, me.id),

    async create(
      me: SessionCaller,
      { name, scope, days }: z.output<typeof NewAccessToken>,
      context: RequestContext,
    ): Promise<CreatedAccessToken> {
      const secret = ACCESS_TOKEN_PREFIX + randomBytes(SECRET_BYTES).toString('hex')
      const at = now()
      // The transaction holds the user's lock, so concurrent calls cannot exceed the limit.
      const made = await context.transaction(
        async (tx) => {
          if ((await store.count(tx, me.id)) >= ACCESS_TOKENS_MAX) fail('too_many_tokens')
          await record(tx, me, context, {
            action: 'access token created',
            subject: subjectOf('user', me),
            detail: `${name}: ${scope}, ${countText(days, 'day')}`,
          })
          return store.insert(tx, {
            id: newId(),
            user_id: me.id,
            name,
            scope,
            hash: hash(secret),
            created_at: new Date(at),
            expires_at: new Date(at + days * DAY_MS),
          })
        },
        { changing: me.id },
      )
      return { ...made, secret }
    },

    async revoke(me: Caller, id: string, context: RequestContext): Promise<void> {
      await context.transaction(
        async (tx) => {
          const { name } = (await store.remove(tx, id, me.id)) ?? fail('not_found')
          await record(tx, me, context, {
            action: 'access token revoked',
            subject: subjectOf('user', me),
            detail: name,
          })
        },
        { changing: me.id },
      )
    },

    /**
     * Runs in the transaction of the change that requires it (a new password, a logout everywhere), which holds the
     * user's lock.
     */
    async endAll(tx: Transaction, userId: string): Promise<void> {
      await store.removeAll(tx, userId)
    },

    sweep: () => store.removeExpired(db.kysely, new Date(now() - SHOWN_EXPIRED_MS)),
  }
}
