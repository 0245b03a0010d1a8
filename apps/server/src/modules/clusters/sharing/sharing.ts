import type { LdapCollaborator, LdapEntryRef } from '@flotilla/contract/ldap-entry'
import type { AuditChange } from '@flotilla/contract/people/audit'
import type { Transaction } from '../../../db/database'
import { notifyIdentityChanged } from '../../../live/live'
import type { Ldap } from '../../ldap/ldap'
import { changeShares } from '../../sharing/sharing'
import { notifySeats } from '../notify'
import * as store from './store'

/** What sharing clusters with people and groups needs from directories. */
export type DirectoryLookup = Pick<Ldap, 'resolve' | 'dnKey'>

/** Notifies people who gain or lose a cluster, and everyone who has a workshop seat on it. */
export async function notifySharing(tx: Transaction, id: string, people: string[]): Promise<void> {
  for (const userId of people) await notifyIdentityChanged(tx, userId)
  await notifySeats(tx, id)
}

/** Sets who else may use a cluster. Both the new and the previous collaborators are notified. */
export async function share(tx: Transaction, id: string, usernames: string[]): Promise<AuditChange[]> {
  const { people, changes } = await changeShares(tx, 'clusters', id, usernames)
  await notifySharing(tx, id, people)
  return changes
}

export type DirectoryChange = { added: LdapCollaborator[]; removed: LdapEntryRef[] }
/**
 * The difference between the list that was saved and the one before. Only new entries are looked up, so a directory
 * that is down matters only for them.
 */
export async function directoryChange(
  ldap: DirectoryLookup,
  wanted: LdapEntryRef[] | undefined,
  before: readonly LdapCollaborator[] = [],
): Promise<DirectoryChange> {
  if (wanted === undefined) return { added: [], removed: [] }
  const keyOf = ({ serverId, dn }: LdapEntryRef) => `${serverId} ${ldap.dnKey(dn)}`
  const [had, has] = [new Set(before.map(keyOf)), new Set(wanted.map(keyOf))]
  return {
    added: await ldap.resolve(
      wanted.filter((ref) => !had.has(keyOf(ref))),
      'cluster.ldapCollaborators',
    ),
    removed: before.filter((ref) => !has.has(keyOf(ref))),
  }
}

/** Notifies everyone who gains or loses the cluster by it, and has logged in here before. */
export async function shareWithDirectory(
  tx: Transaction,
  ldap: DirectoryLookup,
  id: string,
  { added, removed }: DirectoryChange,
): Promise<void> {
  await store.addLdapCollaborators(
    tx,
    added.map(({ serverId, dn, kind, name }) => ({
      cluster_id: id,
      server_id: serverId,
      dn_key: ldap.dnKey(dn),
      dn,
      kind,
      name,
    })),
  )
  for (const { serverId, dn } of removed) await store.removeLdapCollaborator(tx, id, serverId, ldap.dnKey(dn))
  for (const { serverId, dn } of [...added, ...removed])
    for (const userId of await store.usersOfEntry(tx, serverId, ldap.dnKey(dn)))
      await notifyIdentityChanged(tx, userId)
  if (removed.length > 0) await notifySeats(tx, id)
}
