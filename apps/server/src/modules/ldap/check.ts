import type { Logger } from 'pino'
import type { Database } from '../../db/database'
import type { Accounts } from './accounts'
import { bindService, lookUp, withConnection, type Directory, type DirectoryPerson } from './directory'
import { LdapProblem } from './problems'
import { rolesOf } from './roles'
import type { Servers } from './servers'
import * as store from './store'

/** The most users checked on one connection, which has a time limit. */
const PEOPLE_AT_ONCE = 100

type Options = { db: Database; servers: Servers; accounts: Accounts; log: Logger; now: () => number }

/**
 * Checks every minute, on one of the servers, whether active users are still in their directories. Only a response of
 * the directory ends sessions; a directory that is down changes nothing.
 */
export function makeCheck({ db, servers, accounts, log, now }: Options) {
  const stillAllowed = (
    { settings }: Directory,
    { entry_id }: store.Account,
    person: DirectoryPerson,
  ): boolean =>
    !person.disabled &&
    (entry_id === null || person.entryId === null || entry_id === person.entryId) &&
    rolesOf(settings, person.groups)?.length !== 0

  const lookUpAll = (directory: Directory, people: store.Account[]) =>
    withConnection(directory, async (connection) => {
      await bindService(connection, directory)
      const found: { account: store.Account; person: DirectoryPerson | null }[] = []
      for (const account of people) {
        const person = await lookUp(connection, directory, account.login, now())
        found.push({ account, person: person && stillAllowed(directory, account, person) ? person : null })
      }
      return found
    })

  const checkServer = async (directory: Directory): Promise<void> => {
    const { bindDn, userDnTemplate } = directory.settings
    // An anonymous bind may not see the entries, and would make everyone look removed.
    if (userDnTemplate !== '' && bindDn === '') return
    const people = await store.inUse(db.kysely, directory.id)
    for (let at = 0; at < people.length; at += PEOPLE_AT_ONCE)
      for (const { account, person } of await lookUpAll(directory, people.slice(at, at + PEOPLE_AT_ONCE)))
        await db.transaction((tx) => accounts.applyCheck(tx, account, directory, person))
  }

  return async (): Promise<void> => {
    await Promise.all(
      (await servers.directories()).map(async (directory) => {
        try {
          await checkServer(directory)
        } catch (error) {
          if (!(error instanceof LdapProblem)) throw error
          log.warn(
            { ldapServer: directory.id, reason: error.explanation },
            `Users of the LDAP server ${directory.settings.name} could not be checked`,
          )
        }
      }),
    )
  }
}
