import type * as z from 'zod/mini'
import { ATTEMPTS_MAX, ATTEMPTS_WINDOW_MS, MAILS_MAX, MAILS_WINDOW_MS } from '@flotilla/contract/limits'
import type { PasswordChange, User } from '@flotilla/contract/people/users'
import { changesOf } from '../../../changes'
import { lockPerson } from '../../../db/callers'
import type { Database, Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import type { QueueMail } from '../../../mail/tasks'
import type { AccessTokens } from '../../access-tokens/access-tokens'
import { record, subjectOf } from '../../activities/activities'
import { bucketOf, passwordAttempt, type Attempts } from '../../attempts/attempts'
import type { OneTime } from '../../onetime/onetime'
import type { Sessions } from '../../sessions/sessions'
import { recoveryMail } from '../mails'
import { knownAccount, type PasswordChecker } from './password'
import * as store from '../store'

type Options = {
  db: Database
  sessions: Sessions
  accessTokens: AccessTokens
  oneTime: OneTime
  attempts: Attempts
  passwordChecker: PasswordChecker
  queueMail: QueueMail
  siteUrl: () => Promise<string>
  get(id: string): Promise<User>
  /** Fails if this user may not change the account. */
  mayChange(me: Caller, id: string, context: RequestContext): void
}

/** Sets a new password, with the current one, as an admin or with an emailed link. */
export function makePasswords({
  db,
  sessions,
  accessTokens,
  oneTime,
  attempts,
  passwordChecker,
  queueMail,
  siteUrl,
  get,
  mayChange,
}: Options) {
  /** Requires a transaction that holds the user's lock. Ends all of their sessions and revokes their access tokens. */
  const setPassword = async (tx: Transaction, id: string, passwordHash: string): Promise<void> => {
    await store.update(tx, id, { password_hash: passwordHash })
    await oneTime.forget(tx, id, 'reset')
    await sessions.endAll(tx, id)
    // An attacker with the old password may have created some.
    await accessTokens.endAll(tx, id)
  }

  return {
    async changePassword(
      me: Caller,
      change: z.output<typeof PasswordChange>,
      context: RequestContext,
    ): Promise<void> {
      const id = change.id ?? me.id
      mayChange(me, id, context)
      const person = await store.findForLogin(db.kysely, (await get(id)).username)
      // With a local password they could still log in after their removal from the directory.
      if (person?.auth_type === 'ldap')
        fail('wrong_state', {
          message: 'This account logs in through an LDAP directory. Change the password there.',
        })
      if (id === me.id) {
        if (change.currentPassword === undefined)
          return fail('bad_input', { fields: { currentPassword: 'Enter your current password' } })
        const attempt = passwordAttempt(id)
        await attempts.take(attempt, ATTEMPTS_MAX, ATTEMPTS_WINDOW_MS)
        if (!(await passwordChecker.matches(person?.password_hash ?? null, change.currentPassword))) {
          await db.transaction((tx) =>
            record(tx, me, context, {
              action: 'password confirmation failed',
              subject: subjectOf('user', me),
              detail: context.address,
            }),
          )
          fail('wrong_password', { fields: { currentPassword: 'This is not your current password' } })
        }
        await attempts.clear(attempt)
      } else await context.requireConfirmation()
      const passwordHash = await passwordChecker.hash(change.password, knownAccount(me.id))
      await context.transaction(
        async (tx) => {
          await setPassword(tx, id, passwordHash)
          await record(tx, me, context, {
            action: 'password changed',
            subject: { kind: 'user', id, name: person?.username ?? '' },
            changes: [{ field: 'password', secret: true }],
          })
        },
        { changing: id },
      )
      sessions.forget(id)
    },

    async recoverPassword(username: string, context: RequestContext): Promise<void> {
      await attempts.take(`recover ${bucketOf(username)}`, MAILS_MAX, MAILS_WINDOW_MS)
      const person = await store.findForLogin(db.kysely, username)
      if (!person || person.auth_type !== 'local' || person.email === '') return
      const url = await siteUrl()
      await db.transaction(async (tx) => {
        const { secret } = await oneTime.makeLink(tx, person.id, 'reset')
        await queueMail(tx, recoveryMail(person, `${url}/recoverPassword/${secret}`))
        await record(tx, person, context, {
          action: 'password recovery requested',
          subject: subjectOf('user', person),
        })
      })
    },

    async resetTokenOwner(token: string): Promise<string> {
      const owner = await oneTime.ownerOfLink(token, 'reset')
      return owner ? (await get(owner)).username : fail('bad_reset_token')
    },

    async resetPassword(token: string, password: string, context: RequestContext): Promise<void> {
      // Hashing is slow on purpose, so it requires a valid link.
      const known = (await oneTime.ownerOfLink(token, 'reset')) ?? fail('bad_reset_token')
      const passwordHash = await passwordChecker.hash(password, knownAccount(known))
      const id = await db.transaction(async (tx) => {
        await lockPerson(tx, known)
        const owner = (await oneTime.useLink(tx, token, 'reset')) ?? fail('bad_reset_token')
        const person = (await store.find(tx, owner)) ?? fail('bad_reset_token')
        await setPassword(tx, owner, passwordHash)
        // Receiving the email proves ownership of the address.
        await store.update(tx, owner, { verified: true })
        await record(tx, person, context, {
          action: 'password reset',
          subject: subjectOf('user', person),
          changes: [{ field: 'password', secret: true }, ...changesOf(person, { verified: true })],
        })
        return owner
      })
      sessions.forget(id)
    },
  }
}
