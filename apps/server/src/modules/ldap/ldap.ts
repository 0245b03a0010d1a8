import type { Logger } from 'pino'
import { LDAP_PAUSE_MS } from '@flotilla/contract/limits'
import type { ActiveLdapServer } from '@flotilla/contract/people/ldap'
import type { LdapEntry } from '@flotilla/contract/ldap-entry'
import type { Database, Transaction } from '../../db/database'
import { fail, Failure } from '../../fail'
import type { RequestContext } from '../../http/caller'
import type { RuntimeConfigFiles } from '../../runtime/runtime'
import type { Accounts } from './accounts'
import { authenticate, findEntry, searchEntries, type Directory, type DirectoryPerson } from './directory'
import { dnKey } from './names'
import { LdapProblem } from './problems'
import type { Servers } from './servers'
import * as store from './store'

type Options = {
  db: Database
  servers: Servers
  accounts: Accounts
  runtime: RuntimeConfigFiles
  log: Logger
  now: () => number
}

/** A user whose password a directory has accepted. */
export type Accepted = { directory: Directory; login: string; person: DirectoryPerson }

/** The API of directories for other modules. */
export type Ldap = ReturnType<typeof makeLdap>
export function makeLdap({ db, servers, accounts, runtime, log, now }: Options) {
  const timedOutAt = new Map<string, number>()

  /** A failure without details for the user; the details are in the log and in the server's test. */
  const unavailable = ({ id, settings: { name } }: Directory, problem: LdapProblem): Failure => {
    log.warn({ ldapServer: id, reason: problem.explanation }, `LDAP server ${name} cannot be used`)
    const reason = problem.timedOut ? 'did not respond in time' : 'cannot be used right now'
    return new Failure('ldap_unavailable', {
      message: `The LDAP server ${name} ${reason}. Try again later or contact your administrator.`,
      extras: { part: name },
      retryAfter: Math.ceil(LDAP_PAUSE_MS / 1000),
    })
  }
  /**
   * After a timeout, queries to the same server fail immediately for a while, so that its queue does not wait again.
   */
  const using = async <T>(directory: Directory, work: () => Promise<T>): Promise<T> => {
    const pausedSince = timedOutAt.get(directory.id) ?? Number.NEGATIVE_INFINITY
    if (Math.abs(now() - pausedSince) < LDAP_PAUSE_MS)
      throw unavailable(directory, new LdapProblem('It timed out a moment ago', true))
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LdapProblem)) throw error
      if (error.timedOut) timedOutAt.set(directory.id, now())
      throw unavailable(directory, error)
    }
  }
  const isOn = async (): Promise<boolean> => (await runtime.config()).features.ldap

  return {
    async active(): Promise<ActiveLdapServer[]> {
      return (await isOn()) ? servers.active() : []
    },
    /** A server that users can log in with. */
    async forLogin(id: string): Promise<Directory> {
      if (!(await isOn())) fail('ldap_off')
      const directory = await servers.directory(id)
      return directory?.settings.active
        ? directory
        : fail('bad_input', { fields: { ldapServerId: 'This LDAP server is no longer available' } })
    },
    /** Null when the name or the password is wrong. */
    async authenticate(directory: Directory, login: string, password: string): Promise<Accepted | null> {
      const person = await using(directory, () => authenticate(directory, login, password, now()))
      return person && { directory, login, person }
    },
    /** Returns the ID of the account of an accepted user; the first login creates it. */
    logIn: (tx: Transaction, { directory, login, person }: Accepted, context: RequestContext) =>
      accounts.logIn(tx, directory, login, person, context),
    /** The directory that checks a user's password, with the login name; null if the server was deleted. */
    async ofUser(userId: string): Promise<{ directory: Directory; login: string } | null> {
      const account = await store.accountOfUser(db.kysely, userId)
      if (!account?.server_id) return null
      const directory = await servers.directory(account.server_id)
      return directory ? { directory, login: account.login } : null
    },

    /** Users and groups of all active servers, with a problem for each server that does not respond. */
    async search(text: string): Promise<{ entries: LdapEntry[]; problems: string[] }> {
      if (!(await isOn())) return { entries: [], problems: [] }
      const directories = (await servers.directories()).filter(({ settings }) => settings.active)
      const found = await Promise.allSettled(
        directories.map((directory) => using(directory, () => searchEntries(directory, text))),
      )
      return {
        entries: found.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
        problems: found.flatMap((one) => {
          if (one.status === 'fulfilled') return []
          if (one.reason instanceof Failure) return [one.reason.message]
          throw one.reason
        }),
      }
    },
    /** The entries with these DNs, read from their directories. Unknown entries fail with an error on `field`. */
    async resolve(refs: { serverId: string; dn: string }[], field: string): Promise<LdapEntry[]> {
      const entries: LdapEntry[] = []
      for (const { serverId, dn } of refs) {
        const directory = await servers.directory(serverId)
        if (!directory?.settings.active)
          return fail('bad_input', { fields: { [field]: 'This LDAP server is no longer available' } })
        const entry = await using(directory, () => findEntry(directory, dn))
        entries.push(
          entry ??
            fail('bad_input', { fields: { [field]: `${directory.settings.name} has no entry ${dn}` } }),
        )
      }
      return entries
    },
    dnKey,
  }
}
