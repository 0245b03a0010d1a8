import type { Role } from '@flotilla/contract/access'
import { isRestrictedUsername } from '@flotilla/contract/people/restricted-usernames'
import { changesOf } from '../../changes'
import { lockPerson } from '../../db/callers'
import type { Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { AuditSource, RequestContext } from '../../http/caller'
import { notifyIdentityChanged } from '../../live/live'
import { record, subjectOf, type Actor } from '../activities/activities'
import type { Users } from '../users/users'
import type { Directory, DirectoryPerson } from './directory'
import { dnKey } from './names'
import { rolesOf } from './roles'
import * as store from './store'

/** Usernames that are allowed here, because clusters create system accounts with them. */
const SAFE_USERNAME = /^[a-z][a-z0-9._-]{0,31}$/
/** System accounts whose names are too short for the rule of local usernames. */
const systemNames = new Set('bin sys man lp irc adm ftp tty www rpc ntp gdm kvm dip sql'.split(' '))
const isSystemName = (name: string) =>
  systemNames.has(name) || name.startsWith('systemd-') || isRestrictedUsername(name)

/** Workshops assign the participant role, so a directory does not remove it. */
const withParticipant = (roles: Role[], held: readonly Role[]): Role[] =>
  held.includes('participant') ? [...roles, 'participant'] : roles
const sameList = (a: readonly string[], b: readonly string[]) => a.join('\n') === b.join('\n')

/** The accounts of directory users on this site. */
export type Accounts = ReturnType<typeof makeAccounts>
export function makeAccounts(users: Users, system: AuditSource, now: () => number) {
  const create = async (
    tx: Transaction,
    { id: serverId, settings }: Directory,
    login: string,
    person: DirectoryPerson,
    context: RequestContext,
  ): Promise<string> => {
    const { username } = person
    if (!SAFE_USERNAME.test(username) || isSystemName(username))
      fail('ldap_not_allowed', {
        message: `The username ${username} of your directory account cannot be used on this site. Contact your administrator.`,
      })
    // An existing account is never taken over, neither a local one nor that of another entry or directory.
    if (await users.findForLogin(username, tx)) fail('other_account')
    const roles = rolesOf(settings, person.groups) ?? ['user']
    const id = await users.insertFromDirectory(tx, { ...person, role: roles })
    await store.keepAccount(tx, {
      user_id: id,
      server_id: serverId,
      login,
      dn: person.dn,
      dn_key: dnKey(person.dn),
      entry_id: person.entryId,
      groups: person.groups,
    })
    await record(tx, { id, username }, context, {
      action: 'account created from LDAP',
      subject: subjectOf('user', { id, username }),
      detail: `${settings.name}: ${person.dn}`,
    })
    return id
  }

  /** Synchronizes roles and groups with the directory; writes only what changed. */
  const sync = async (
    tx: Transaction,
    account: store.Account,
    { id, settings }: Directory,
    login: string,
    person: DirectoryPerson,
    by: { actor: Actor; source: AuditSource },
  ): Promise<void> => {
    const given = rolesOf(settings, person.groups)
    const roles = given && withParticipant(given, account.role)
    if (roles && !sameList(roles, account.role)) {
      await users.setRoles(tx, account.id, roles)
      await record(tx, by.actor, by.source, {
        action: 'roles changed by LDAP',
        subject: subjectOf('user', account),
        detail: settings.name,
        changes: changesOf({ role: account.role }, { role: roles }),
      })
    }
    const seen = {
      server_id: id,
      login,
      dn: person.dn,
      dn_key: dnKey(person.dn),
      entry_id: person.entryId ?? account.entry_id,
      groups: person.groups,
    }
    const isKnown = (Object.keys(seen) as (keyof typeof seen)[]).every(
      (column) => String(seen[column]) === String(account[column]),
    )
    if (isKnown) return
    await store.updateAccount(tx, account.id, seen)
    // Clusters may be shared with groups.
    await notifyIdentityChanged(tx, account.id)
  }

  const resume = async (tx: Transaction, account: store.Account): Promise<void> => {
    if (account.suspended_at === null) return
    // An end time that an admin has set in the meantime is kept.
    if (account.end_time?.getTime() === account.suspended_at.getTime())
      await users.setEnd(tx, account.id, account.end_time_before)
    await store.updateAccount(tx, account.id, { suspended_at: null, end_time_before: null })
  }

  return {
    /** Returns the ID of the account whose password the directory has accepted; the first login creates it. */
    async logIn(
      tx: Transaction,
      directory: Directory,
      login: string,
      person: DirectoryPerson,
      context: RequestContext,
    ): Promise<string> {
      if (rolesOf(directory.settings, person.groups)?.length === 0) fail('ldap_not_allowed')
      // The lock makes two concurrent first logins create one account.
      await lockPerson(tx, `ldap ${directory.id} ${person.entryId ?? dnKey(person.dn)}`)
      const known = await store.accountOf(tx, directory.id, { dnKey: dnKey(person.dn), ...person })
      if (known) await lockPerson(tx, known.id)
      // The server may have been deleted or deactivated during the query.
      if (!(await store.lock(tx, directory.id))?.active) fail('wrong_credentials')
      if (!known) return create(tx, directory, login, person, context)
      const account = (await store.accountOfUser(tx, known.id)) ?? fail('wrong_credentials')
      await resume(tx, account)
      await users.updateProfile(tx, account.id, person)
      await sync(tx, account, directory, login, person, { actor: account, source: context })
      return account.id
    },

    /** Applies what the periodic check found; null means removed or disabled. */
    async applyCheck(
      tx: Transaction,
      checked: store.Account,
      directory: Directory,
      person: DirectoryPerson | null,
    ): Promise<void> {
      await lockPerson(tx, checked.id)
      const account = await store.accountOfUser(tx, checked.id)
      // The account has changed since, for example by a login, which queried the directory as well.
      if (!account || account.server_id !== directory.id || account.login !== checked.login) return
      if (person) await sync(tx, account, directory, account.login, person, { actor: null, source: system })
      else await suspend(tx, account, `removed or disabled in ${directory.settings.name}`)
    },

    suspend,
  }

  /** Suspends the account and ends its sessions, until its directory accepts a login again. */
  async function suspend(tx: Transaction, account: store.Account, reason: string): Promise<void> {
    if (account.suspended_at !== null) return
    const at = new Date(now())
    await store.updateAccount(tx, account.id, { suspended_at: at, end_time_before: account.end_time })
    await users.suspend(tx, account, at)
    await record(tx, null, system, {
      action: 'account suspended',
      subject: subjectOf('user', account),
      detail: reason,
    })
  }
}
