import type * as z from 'zod/mini'
import { domainNotAllowedText, hasDomainIn } from '@flotilla/contract/email'
import type { LdapLogin, LoggedIn, Login, Registration } from '@flotilla/contract/people/auth'
import type { ErrorCode } from '@flotilla/contract/errors'
import { DEFAULT_LICENSE } from '@flotilla/contract/site/license'
import {
  ATTEMPTS_ANYWHERE_MAX,
  ATTEMPTS_MAX,
  ATTEMPTS_WINDOW_MS,
  MAILS_MAX,
  MAILS_WINDOW_MS,
} from '@flotilla/contract/limits'
import type { UserUpdate } from '@flotilla/contract/people/users'
import type { Database, Transaction } from '../../db/database'
import { fail, Failure } from '../../fail'
import type { Caller, RequestContext, SessionCaller } from '../../http/caller'
import type { RuntimeConfigFiles } from '../../runtime/runtime'
import { record, subjectOf, type NoteRefusal } from '../activities/activities'
import { changesOf } from '../../changes'
import { describeNetwork, networkOf } from '../../network/client-network'
import { bucketOf, loginAttempt, passwordAttempt, verifyAttempt, type Attempts } from '../attempts/attempts'
import type { Ldap } from '../ldap/ldap'
import type { LicenseCheck } from '../license/license'
import type { OneTime } from '../onetime/onetime'
import type { Sessions } from '../sessions/sessions'
import type { Users } from '../users/users'
import { makeLdapLogin, type Found } from './ldap-login'

type Options = {
  db: Database
  users: Users
  ldap: Ldap
  sessions: Sessions
  license: LicenseCheck
  oneTime: OneTime
  attempts: Attempts
  noteRefusal: NoteRefusal
  runtime: RuntimeConfigFiles
  now: () => number
}

/** Why a login failed, for the audit trail. Any other error is a defect or an outage, not a refusal. */
const failedLogins: Partial<Record<ErrorCode, string>> = {
  wrong_credentials: 'wrong password',
  too_many_attempts: 'too many attempts',
  too_many_requests: 'too many logins at once',
  account_ended: 'the account has expired',
  not_verified: 'the email address is not confirmed',
  ldap_not_allowed: 'the directory account is not allowed on this site',
  other_account: 'another account has the username',
}

export type Auth = ReturnType<typeof makeAuth>
export function makeAuth({
  db,
  users,
  ldap,
  sessions,
  license,
  oneTime,
  attempts,
  noteRefusal,
  runtime,
  now,
}: Options) {
  /** A token for a session of this user, with the user's current data. */
  const tokenFor = async (userId: string, sessionId: string): Promise<LoggedIn> => {
    const [user, { licenseType }] = await Promise.all([users.get(userId), license.current()])
    const { username, role } = user
    return { token: await sessions.issue({ sub: userId, sid: sessionId, username, role, licenseType }), user }
  }

  /**
   * Wrong guesses lock out only the network they come from. Its rejected attempts do not count toward the global limit;
   * otherwise one network could lock everyone out.
   */
  const countAttempt = async (username: string, network: string) => {
    const anywhere = loginAttempt(username)
    const here = loginAttempt(username, network)
    await attempts.take(here, ATTEMPTS_MAX, ATTEMPTS_WINDOW_MS)
    await attempts.take(anywhere, ATTEMPTS_ANYWHERE_MAX, ATTEMPTS_WINDOW_MS)
    return {
      clear: () => Promise.all([attempts.clear(here), attempts.giveBack(anywhere)]),
      giveBack: () => Promise.all([attempts.giveBack(here), attempts.giveBack(anywhere)]),
    }
  }

  /** Finds the account, counts the attempt and checks the password, all when it is the network's turn in the queue. */
  const checkPassword = async (
    { username, password }: z.output<typeof Login>,
    network: string,
    found: (person: Found) => void,
  ): Promise<boolean> => {
    let attempt: Awaited<ReturnType<typeof countAttempt>> | undefined
    const findStored = async () => {
      const person = await users.findForLogin(username)
      found(person ?? null)
      attempt = await countAttempt(username, network)
      return person?.password_hash ?? null
    }
    const right = await users.checkPassword(await users.sourceOf(username, network), findStored, password)
    if (right) await attempt?.clear()
    return right
  }

  /** Opens a session, in the transaction that established that the user may log in. */
  const enter = async (
    tx: Transaction,
    person: { id: string; username: string },
    network: string,
    context: RequestContext,
    detail: string,
  ): Promise<string> => {
    await users.noteLogin(tx, person, network)
    const sessionId = await sessions.open(tx, person.id, context)
    const subject = subjectOf('user', person)
    await record(tx, person, { ...context, sessionId }, { action: 'logged in', subject, detail })
    return sessionId
  }

  const openSession = async (
    person: NonNullable<Found>,
    userKey: string | undefined,
    network: string,
    context: RequestContext,
  ): Promise<LoggedIn> => {
    if (person.end_time && person.end_time.getTime() <= now()) fail('account_ended')
    const sessionId = await db.transaction(async (tx) => {
      // The password may have been changed, or the user removed, while the password was being checked.
      if (!(await users.hasPassword(tx, person.id, person.password_hash))) fail('wrong_credentials')
      const invited =
        userKey !== undefined && (await oneTime.useLink(tx, userKey, 'invitation', person.id)) !== null
      if (invited) await users.setVerified(tx, person.id)
      else if (!person.verified) fail('not_verified')
      return enter(tx, person, network, context, context.address)
    })
    return tokenFor(person.id, sessionId)
  }

  const ldapLogin = makeLdapLogin({ db, users, ldap, sessions, now, countAttempt, enter })

  /** An unknown username is not recorded, because it may be a password typed into the wrong field. */
  const noteFailed = (person: Found, context: RequestContext, error: unknown): void => {
    const code = error instanceof Failure ? error.code : 'internal'
    const reason = person === null && code === 'wrong_credentials' ? 'wrong username' : failedLogins[code]
    if (reason === undefined) return
    const unnamed = person === null ? 'unknown account' : 'account not looked up'
    noteRefusal(null, context, {
      action: 'login failed',
      subject: person ? subjectOf('user', person) : { kind: 'visitor', id: null, name: unnamed },
      detail: `${reason}, from ${describeNetwork(context.address)}`,
    })
  }

  return {
    tokenFor,
    async login(given: z.output<typeof Login>, context: RequestContext): Promise<LoggedIn> {
      await license.current()
      const network = networkOf(context.address)
      let person: Found
      try {
        const right = await checkPassword(given, network, (found) => (person = found))
        if (!person || !right) return fail('wrong_credentials')
        return await openSession(person, given.userKey, network, context)
      } catch (error) {
        noteFailed(person, context, error)
        throw error
      }
    },

    async ldapLogin(given: z.output<typeof LdapLogin>, context: RequestContext): Promise<LoggedIn> {
      await license.current()
      const network = networkOf(context.address)
      let person: Found
      try {
        const accepted = await ldapLogin.check(given, network, (found) => (person = found))
        if (!accepted) return fail('wrong_credentials')
        const { id, sessionId } = await ldapLogin.openSession(accepted, network, context)
        return await tokenFor(id, sessionId)
      } catch (error) {
        noteFailed(person, context, error)
        throw error
      }
    },

    async register(person: z.output<typeof Registration>, context: RequestContext) {
      const { licenseType } = await license.current()
      const { register, allowedEmailDomains } = await runtime.config()
      if (!register) fail('registration_off')
      if (allowedEmailDomains && !hasDomainIn(person.email, allowedEmailDomains)) {
        const email = domainNotAllowedText(allowedEmailDomains)
        const extras = { allowedDomains: allowedEmailDomains }
        fail('bad_input', { message: email, fields: { email }, extras })
      }
      const mustVerify = await users.mustConfirm()
      const given = { ...person, verified: !mustVerify, registered: true }
      const stranger = { lane: networkOf(context.address), known: false }
      const opened = await users.add({ ...given, role: ['user'] }, stranger, context, async (tx, id) => {
        await record(tx, { id, username: person.username }, context, {
          action: 'registered',
          subject: { kind: 'user', id, name: person.username },
        })
        if (mustVerify) await users.sendCode(tx, { id, ...person })
        return licenseType === DEFAULT_LICENSE
          ? { id, sessionId: await sessions.open(tx, id, context) }
          : null
      })
      return { token: opened ? (await tokenFor(opened.id, opened.sessionId)).token : null, licenseType }
    },

    async verify(username: string, code: string, context: RequestContext): Promise<void> {
      await attempts.take(verifyAttempt(username), ATTEMPTS_MAX, ATTEMPTS_WINDOW_MS)
      const person = await users.findForLogin(username)
      // A wrong code must be counted, so the refusal comes after the transaction has committed.
      const verified = await db.transaction(async (tx) => {
        if (!person || !(await oneTime.useCode(tx, person.id, code))) return false
        await users.setVerified(tx, person.id)
        await record(tx, person, context, {
          action: 'email confirmed',
          subject: subjectOf('user', person),
          changes: changesOf(person, { verified: true }),
        })
        return true
      })
      if (!verified) fail('bad_code')
    },

    async resendCode(username: string): Promise<void> {
      await attempts.take(`resend ${bucketOf(username)}`, MAILS_MAX, MAILS_WINDOW_MS)
      const person = await users.findForLogin(username)
      if (person && !person.verified) await db.transaction((tx) => users.sendCode(tx, person))
    },

    async invitation(userKey: string): Promise<{ username: string; firstName: string }> {
      const owner = (await oneTime.ownerOfLink(userKey, 'invitation')) ?? fail('bad_invitation')
      const { username, firstName } = await users.get(owner)
      return { username, firstName }
    },

    refresh: (me: SessionCaller): Promise<LoggedIn> => tokenFor(me.id, me.sessionId),

    async logout(me: SessionCaller, context: RequestContext): Promise<void> {
      await sessions.end(me, me.sessionId, context, (tx) =>
        record(tx, me, context, { action: 'logged out', subject: subjectOf('user', me) }),
      )
    },

    /** Guesses share their limit with those of a password change, because both may come from a stolen session. */
    async confirm(me: SessionCaller, password: string, context: RequestContext) {
      const attempt = passwordAttempt(me.id)
      await attempts.take(attempt, ATTEMPTS_MAX, ATTEMPTS_WINDOW_MS)
      const person = (await users.findForLogin(me.username)) ?? fail('session_ended')
      const right =
        person.auth_type === 'ldap'
          ? await ldapLogin.confirms(me.id, password)
          : await users.passwordMatches(person.password_hash, password)
      if (!right) {
        await context.transaction((tx) =>
          record(tx, me, context, {
            action: 'password confirmation failed',
            subject: subjectOf('user', me),
            detail: context.address,
          }),
        )
        return fail('wrong_password', {
          message: 'Incorrect password',
          fields: { password: 'Incorrect password' },
        })
      }
      await attempts.clear(attempt)
      const confirmedUntil = await context.transaction(async (tx) => {
        // The password may have been changed while it was being checked.
        if (!(await users.hasPassword(tx, me.id, person.password_hash))) fail('session_ended')
        return sessions.confirm(tx, me.sessionId)
      })
      return { confirmedUntil }
    },

    updateMyself: (me: Caller, change: Omit<z.output<typeof UserUpdate>, 'id'>, context: RequestContext) =>
      users.update(me, { ...change, id: me.id }, context),
  }
}
