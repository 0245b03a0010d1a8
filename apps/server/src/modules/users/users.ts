import type * as z from 'zod/mini'
import { isAdmin } from '@flotilla/contract/access'
import type { Page } from '@flotilla/contract/lists'
import type { NewUser, User } from '@flotilla/contract/people/users'
import { readPage } from '../../db/cursors'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
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
import { makeApproval } from './kinds/approval'
import { makeConfirm } from './confirm'
import { makeDirectoryAccounts } from './kinds/directory-accounts'
import { makeLockouts } from './passwords/lockouts'
import { makeLogins } from './passwords/logins'
import type { Source } from './passwords/fair-queue'
import { hashPassword, knownAccount, makePasswordChecker } from './passwords/password'
import { makeParticipants } from './kinds/participants'
import { makePasswords } from './passwords/passwords'
import { makeRemoval } from './ending/removal'
import { makeSshKeys } from './ssh-keys'
import * as store from './store'
import type { ScheduleEnd } from './ending/timed'
import { duplicateEntry, takenFields, unique } from './unique'
import { makeUpdate } from './update'
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
  scheduleEnd: ScheduleEnd
  ownables: Ownable[]
  /** The URL at which users open this site. */
  siteUrl: () => Promise<string>
  now: () => number
}

type NewPerson = Omit<z.output<typeof NewUser>, 'role'> & {
  role: User['role']
  verified: boolean
  /** Whether the user registered themselves. */
  registered?: boolean
  /** `ldap` means that a directory has the password. */
  authType?: User['authType']
}

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
  scheduleEnd,
  ownables,
  siteUrl,
  now,
}: Options) {
  const passwordChecker = makePasswordChecker(now)
  const confirm = makeConfirm(license, oneTime, queueMail)
  const approval = makeApproval({ db, queueMail, siteUrl, now })
  const get = async (id: string): Promise<User> => (await store.find(db.kysely, id)) ?? fail('not_found')

  /** A user may change their own account, and an admin with admin scope any account. */
  const mayChange = (me: Caller, id: string, context: RequestContext): void => {
    if (id === me.id || context.adminScope) return
    fail(isAdmin(me) ? 'admin_scope_needed' : 'forbidden')
  }

  const insert = async (
    tx: Transaction,
    person: NewPerson,
    passwordHash?: string | null,
  ): Promise<string> => {
    const hash = passwordHash === undefined ? await hashPassword(person.password) : passwordHash
    await store.lockNames(tx)
    if (await store.taken(tx, person)) throw duplicateEntry()
    const id = newId()
    await store.insert(tx, {
      id,
      username: person.username,
      first_name: person.firstName,
      last_name: person.lastName,
      email: person.email,
      password_hash: hash,
      role: person.role,
      verified: person.verified,
      registered: person.registered ?? false,
      auth_type: person.authType ?? 'local',
      end_time: person.endTime === undefined || person.endTime === null ? null : new Date(person.endTime),
      providers: person.providers ?? null,
      unix_account: person.unixAccount ?? null,
      created_at: new Date(now()),
    })
    await scheduleEnd(tx, { id, username: person.username }, person.endTime)
    await notifyPeople(tx, 'users', [id])
    return id
  }

  /**
   * Creates an account together with what `also` adds. The password is hashed before the transaction, because hashing
   * is slow: a class that registers at once would occupy every database connection in the meantime.
   */
  const add = async <T>(
    person: NewPerson,
    source: Source,
    { transaction }: Pick<RequestContext, 'transaction'>,
    also: (tx: Transaction, id: string) => Promise<T>,
  ): Promise<T> => {
    const other = await store.taken(db.kysely, person)
    if (other) throw duplicateEntry(person.registered ? undefined : takenFields(other, person))
    const passwordHash = await passwordChecker.hash(person.password, source)
    return unique(transaction(async (tx) => also(tx, await insert(tx, person, passwordHash))))
  }

  /** Ends every session of a user. Their browsers go to the login page without a dialog. */
  const endSessions = async (tx: Transaction, { id, username }: Pick<User, 'id' | 'username'>) => {
    await publish(tx, [userRoom(id)], { event: 'silentLogout', data: { username } })
    await sessions.endAll(tx, id)
  }

  return {
    get,
    /** Requires a transaction that holds the user's lock. */
    endSessions,
    /** Finds a user in the transaction that changed them. */
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

    list: (query: Page & { search?: string; unapproved?: 'true' }) =>
      readPage(
        query,
        (limit, after) => store.list(db.kysely, { ...query, limit, after }),
        ({ createdAt, id }) => ({ at: createdAt, id }),
      ),

    async create(me: Caller, person: z.output<typeof NewUser>, context: RequestContext): Promise<User> {
      if (isAdmin(person) || person.unixAccount) await context.requireConfirmation()
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

    async invite(me: Caller, id: string, context: RequestContext) {
      const person = await get(id)
      const { secret, expiresAt } = await context.transaction(async (tx) => {
        await record(tx, me, context, { action: 'user invited', subject: subjectOf('user', person) })
        return oneTime.makeLink(tx, id, 'invitation')
      })
      return { userKey: secret, link: `${await siteUrl()}/login/${secret}`, expiresAt }
    },

    /** Also revokes access tokens, which scripts use. */
    async logOutEverywhere(me: Caller, id: string, context: RequestContext): Promise<void> {
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

    ...makeUpdate({
      sessions,
      oneTime,
      confirm,
      approval,
      queueMail,
      scheduleEnd,
      get,
      mayChange,
      endSessions,
    }),
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
    ...makeRemoval({ db, ownables, get, now }),
    ...makeLockouts({ db, attempts, get }),
    ...makeDirectoryAccounts({ insert, endSessions, accessTokens }),
    ...makeParticipants(now),
    ...makeSshKeys(db, secrets, now),
    ...makeLogins(db, passwordChecker, now),
  }
}
