import type * as z from 'zod/mini'
import { isUnapproved, type NewUser, type User, type UserUpdate } from '@flotilla/contract/people/users'
import { changesOf } from '../../changes'
import { decodeCursor, pageOf } from '../../db/cursors'
import type { Database, Transaction } from '../../db/database'
import { fail, Failure } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import { publish, userRoom } from '../../live/live'
import type { QueueMail } from '../../mail/tasks'
import type { Secrets } from '../../secrets/secrets'
import type { AccessTokens } from '../access-tokens/access-tokens'
import { record, subjectOf } from '../activities/activities'
import type { Attempts } from '../attempts/attempts'
import type { LicenseCheck } from '../license/license'
import type { OneTime } from '../onetime/onetime'
import type { Sessions } from '../sessions/sessions'
import { makeApproval } from './approval'
import { makeConfirm } from './confirm'
import { makeDirectoryAccounts } from './directory-accounts'
import { makeLogins } from './logins'
import { emailChangedMail } from './mails'
import type { Source } from './fair-queue'
import { hashPassword, knownAccount, makePasswordChecker } from './password'
import { makePasswords } from './passwords'
import { makeRemoval } from './removal'
import { makeSshKeys } from './ssh-keys'
import * as store from './store'
import { notifyPeople, type Ownable } from '../sharing/sharing'

type Options = {
  db: Database
  sessions: Sessions
  accessTokens: AccessTokens
  license: LicenseCheck
  oneTime: OneTime
  attempts: Attempts
  secrets: Secrets
  queueMail: QueueMail
  ownables: Ownable[]
  /** The address people use for this site. */
  siteUrl: () => Promise<string>
  now: () => number
}

type NewPerson = Omit<z.output<typeof NewUser>, 'role'> & {
  role: User['role']
  verified: boolean
  /** By themselves. */
  registered?: boolean
  /** `ldap`: a directory has the password. */
  authType?: User['authType']
}

const isDuplicate = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === '23505'
/** The next login would undo it. */
function refuseDirectoryFields(before: User, change: z.output<typeof UserUpdate>): void {
  const given = (['firstName', 'lastName', 'email'] as const).filter(
    (field) => change[field] !== undefined && change[field] !== before[field],
  )
  if (given.length > 0)
    fail('bad_input', {
      fields: Object.fromEntries(given.map((field) => [field, 'This comes from the LDAP directory'])),
    })
}
const duplicateEntry = () => new Failure('duplicate_entry', { extras: { reason: 'duplicateEntry' } })

export { knownAccount }
export type Users = ReturnType<typeof makeUsers>
export function makeUsers({
  db,
  sessions,
  accessTokens,
  license,
  oneTime,
  attempts,
  secrets,
  queueMail,
  ownables,
  siteUrl,
  now,
}: Options) {
  const passwordChecker = makePasswordChecker(now)
  const confirm = makeConfirm(license, oneTime, queueMail)
  const approval = makeApproval({ db, queueMail, siteUrl, now })
  const get = async (id: string): Promise<User> => (await store.find(db.kysely, id)) ?? fail('not_found')

  /** The caller's own account, or as an admin who asked for admin scope anyone's. */
  const mayChange = (me: Caller, id: string, context: RequestContext): void => {
    if (id === me.id || context.adminScope) return
    fail(me.role.includes('admin') ? 'admin_scope_needed' : 'forbidden')
  }

  /** Name and address are unique in the database; the second request fails here. */
  const unique = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw isDuplicate(error) ? duplicateEntry() : error
    }
  }

  const insert = async (
    tx: Transaction,
    person: NewPerson,
    passwordHash?: string | null,
  ): Promise<string> => {
    if (await store.taken(tx, person)) throw duplicateEntry()
    const id = newId()
    await store.insert(tx, {
      id,
      username: person.username,
      first_name: person.firstName,
      last_name: person.lastName,
      email: person.email,
      password_hash: passwordHash === undefined ? await hashPassword(person.password) : passwordHash,
      role: person.role,
      verified: person.verified,
      registered: person.registered ?? false,
      auth_type: person.authType ?? 'local',
      end_time: person.endTime === undefined || person.endTime === null ? null : new Date(person.endTime),
      providers: person.providers ?? null,
      created_at: new Date(now()),
    })
    await notifyPeople(tx, 'users', [id])
    return id
  }

  /**
   * Makes an account together with what `also` adds. The password is hashed before the transaction: that takes long, and a
   * class that registers at once would hold every connection in the meantime.
   */
  const add = async <T>(
    person: NewPerson,
    source: Source,
    { transaction }: Pick<RequestContext, 'transaction'>,
    also: (tx: Transaction, id: string) => Promise<T>,
  ): Promise<T> => {
    if (await store.taken(db.kysely, person)) throw duplicateEntry()
    const passwordHash = await passwordChecker.hash(person.password, source)
    return unique(transaction(async (tx) => also(tx, await insert(tx, person, passwordHash))))
  }

  /** Ends every session at once; the person's browsers go to the login page without a dialog. */
  const endSessions = async (tx: Transaction, { id, username }: Pick<User, 'id' | 'username'>) => {
    await publish(tx, [userRoom(id)], { event: 'silentLogout', data: { username } })
    await sessions.endAll(tx, id)
  }

  return {
    get,
    /** In the transaction that changed them. */
    findById: (tx: Transaction, id: string) => store.find(tx, id),
    insert,
    add,
    setVerified: (tx: Transaction, id: string) =>
      store.update(tx, id, { verified: true }).then(() => notifyPeople(tx, 'users', [id])),
    /** Whether there are no users yet. Of two servers that start at once on an empty database, only one gets true. */
    claimFirst: async (tx: Transaction): Promise<boolean> => {
      await store.lockEveryone(tx)
      return (await store.anyUser(tx)) === undefined
    },

    async list(query: {
      search?: string
      unapproved?: 'true'
      limit: number
      cursor?: string
    }): Promise<{ items: User[]; next: string | null }> {
      const after = decodeCursor(query.cursor)
      const found = await store.list(db.kysely, { ...query, limit: query.limit + 1, after })
      return pageOf(found, query.limit, ({ createdAt, id }) => ({ at: createdAt, id }))
    },

    async create(me: Caller, person: z.output<typeof NewUser>, context: RequestContext): Promise<User> {
      if (person.role.includes('admin')) await context.requireConfirmation()
      const id = await add({ ...person, verified: true }, knownAccount(me.id), context, async (tx, made) => {
        await record(tx, me, context, {
          action: 'user created',
          subject: { kind: 'user', id: made, name: person.username },
          detail: person.role.join(', '),
        })
        return made
      })
      return get(id)
    },

    async update(me: Caller, change: z.output<typeof UserUpdate>, context: RequestContext): Promise<User> {
      mayChange(me, change.id, context)
      const adminOnly = (['role', 'endTime', 'providers', 'verified'] as const).filter(
        (field) => change[field] !== undefined,
      )
      if (adminOnly.length > 0 && !me.role.includes('admin'))
        fail('forbidden', { message: `Only an admin can change ${adminOnly.join(', ')}` })
      const before = await get(change.id)
      if (before.authType === 'ldap') refuseDirectoryFields(before, change)
      const movedTo = change.email === before.email ? undefined : change.email
      // An admin says of everyone whether the address is confirmed, so of themselves too.
      const mustConfirm =
        movedTo !== undefined &&
        change.id === me.id &&
        !me.role.includes('admin') &&
        (await confirm.mustConfirm())
      const verified = mustConfirm ? false : change.verified
      // With a hijacked session one could change the address and recover the password there, or create another admin.
      const newAdmin = change.role?.includes('admin') && !before.role.includes('admin')
      if (movedTo !== undefined || newAdmin) await context.requireConfirmation()
      await unique(
        context.transaction(
          async (tx) => {
            const admins = await store.lockAdmins(tx)
            const losesAdminAccess =
              (change.role && !change.role.includes('admin')) ||
              typeof change.endTime === 'number' ||
              verified === false
            if (losesAdminAccess && admins.length === 1 && admins[0] === change.id) fail('last_admin')
            if (change.email && (await store.taken(tx, { email: change.email, exceptId: change.id })))
              throw duplicateEntry()
            // No one could log in like this; access tokens stop working on their own. Notified before the change closes the sockets.
            if (verified === false) await endSessions(tx, before)
            const found = await store.update(tx, change.id, {
              ...(change.firstName !== undefined && { first_name: change.firstName }),
              ...(change.lastName !== undefined && { last_name: change.lastName }),
              ...(change.email !== undefined && { email: change.email }),
              ...(change.role !== undefined && { role: change.role }),
              ...(change.endTime !== undefined && {
                end_time: change.endTime === null ? null : new Date(change.endTime),
              }),
              ...(change.providers !== undefined && { providers: change.providers }),
              ...(verified !== undefined && { verified }),
            })
            if (!found) fail('not_found')
            // An admin who grants such a role knows the person.
            if (isUnapproved(before) && change.role?.some((role) => role !== 'user'))
              await approval.approveWith(tx, me, context, before)
            const { id: _same, ...changed } = change
            const fields = Object.keys(changed)
            await record(tx, me, context, {
              action: 'user updated',
              subject: subjectOf('user', before),
              detail: fields.join(', '),
              changes: changesOf(before, { ...changed, verified }),
            })
            // The old address is told, should it not have been its owner.
            if (movedTo !== undefined) {
              await oneTime.forget(tx, change.id, 'reset', 'verify')
              await queueMail(tx, emailChangedMail(before, movedTo))
            }
            if (mustConfirm) await confirm.sendCode(tx, { ...before, email: movedTo })
            await notifyPeople(tx, 'users', [change.id])
          },
          { changing: change.id },
        ),
      )
      sessions.forget(change.id)
      return get(change.id)
    },

    async invite(me: Caller, id: string, context: RequestContext) {
      const person = await get(id)
      const { secret, expiresAt } = await context.transaction(async (tx) => {
        await record(tx, me, context, { action: 'user invited', subject: subjectOf('user', person) })
        return oneTime.makeLink(tx, id, 'invitation')
      })
      return { userKey: secret, link: `${await siteUrl()}/login/${secret}`, expiresAt }
    },

    /** Everywhere: scripts that act for the person too. */
    async signOut(me: Caller, id: string, context: RequestContext): Promise<void> {
      const person = await get(id)
      await context.transaction(
        async (tx) => {
          await endSessions(tx, person)
          await accessTokens.endAll(tx, id)
          await record(tx, me, context, { action: 'user signed out', subject: subjectOf('user', person) })
        },
        { changing: id },
      )
      sessions.forget(id)
    },

    ...makePasswords({
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
    }),
    ...confirm,
    approve: approval.approve,
    ...makeRemoval({ db, sessions, ownables, get }),
    ...makeDirectoryAccounts({ insert, endSessions, accessTokens }),
    ...makeSshKeys(db, secrets, now),
    ...makeLogins(db, passwordChecker, now),
  }
}
