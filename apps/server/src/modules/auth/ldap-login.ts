import type * as z from 'zod/mini'
import type { LdapLogin } from '@flotilla/contract/people/auth'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { RequestContext } from '../../http/caller'
import type { Accepted, Ldap } from '../ldap/ldap'
import type { Sessions } from '../sessions/sessions'
import type { Users } from '../users/users'

/** The account with the username of a login. Null if there is none; the login flow uses undefined before the lookup. */
export type Found = Awaited<ReturnType<Users['findForLogin']>> | null

type Options = {
  db: Database
  users: Users
  ldap: Ldap
  sessions: Sessions
  now: () => number
  /** Counts an attempt before it is made. */
  countAttempt(
    username: string,
    network: string,
  ): Promise<{ clear(): Promise<unknown>; giveBack(): Promise<unknown> }>
  /** Opens a session, in the transaction that established that the user may log in. Returns its ID. */
  enter(
    tx: Transaction,
    person: { id: string; username: string },
    network: string,
    context: RequestContext,
    detail: string,
  ): Promise<string>
}

/** Logins whose passwords a directory checks. */
export function makeLdapLogin({ db, users, ldap, sessions, now, countAttempt, enter }: Options) {
  /** Checks a password with a directory, in the directory's own queue. A failed query is not a wrong guess. */
  const check = async (
    { username, password, ldapServerId }: z.output<typeof LdapLogin>,
    network: string,
    found: (person: Found) => void,
  ): Promise<Accepted | null> => {
    const directory = await ldap.forLogin(ldapServerId)
    const source = await users.sourceOf(username, network)
    return users.checkWithDirectory(ldapServerId, source, async () => {
      found((await users.findForLogin(username)) ?? null)
      const attempt = await countAttempt(username, network)
      try {
        const accepted = await ldap.authenticate(directory, username, password)
        if (accepted) await attempt.clear()
        return accepted
      } catch (error) {
        await attempt.giveBack()
        throw error
      }
    })
  }

  const openSession = async (
    accepted: Accepted,
    network: string,
    context: RequestContext,
  ): Promise<{ id: string; sessionId: string }> => {
    const opened = await db.transaction(async (tx) => {
      const id = await ldap.logIn(tx, accepted, context)
      const person = (await users.findById(tx, id)) ?? fail('wrong_credentials')
      if (person.endTime !== null && person.endTime <= now()) fail('account_ended')
      if (!person.verified) fail('not_verified')
      const detail = `${context.address}, by ${accepted.directory.settings.name}`
      return { id, sessionId: await enter(tx, person, network, context, detail) }
    })
    // The directory may have granted or revoked roles.
    sessions.forget(opened.id)
    return opened
  }

  /** Whether the directory of a user who is logged in accepts this password. */
  const confirms = async (userId: string, password: string): Promise<boolean> => {
    const found = await ldap.ofUser(userId)
    if (!found) return false
    const accepted = await users.confirmWithDirectory(found.directory.id, userId, () =>
      ldap.authenticate(found.directory, found.login, password),
    )
    return accepted !== null
  }

  return { check, openSession, confirms }
}
