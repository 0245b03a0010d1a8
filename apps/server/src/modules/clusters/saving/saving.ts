import { isInCloud } from '@flotilla/contract/clusters/entity'
import type { LdapEntryRef } from '@flotilla/contract/ldap-entry'
import type { AuditChange } from '@flotilla/contract/people/audit'
import { changesOf } from '../../../changes'
import type { Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { AuditSource, Caller, RequestContext } from '../../../http/caller'
import { newId } from '../../../ids'
import { notifyIdentityChanged } from '../../../live/live'
import { sealContext } from '../../../secrets/sealed-values'
import type { Secrets } from '../../../secrets/secrets'
import { makeSshKey } from '../../../ssh-key'
import { record, subjectOf, type Actor } from '../../activities/activities'
import type { Connections } from '../connection/connections'
import { notifyClustersChanged } from '../notify'
import { lockFor } from '../runs/starting'
import { directoryChange, share, shareWithDirectory, type DirectoryLookup } from '../sharing/sharing'
import * as store from '../store'
import type { StoredCluster } from '../stored-cluster'

/** The fields that the input of every cluster has. */
type Input = { name: string; collaborators: string[]; ldapCollaborators?: LdapEntryRef[] | undefined }
type NewRow = Omit<store.NewCluster, 'id' | 'owner_id' | 'state' | 'state_since' | 'created_at'>
/** The context of a request, or of the console itself. */
type Context = AuditSource & Pick<RequestContext, 'transaction'>

type Options = {
  secrets: Secrets
  ldap: DirectoryLookup
  connections: Pick<Connections, 'reset' | 'removeSpool'>
  now: () => number
}

type Sealed = { sealed_given_key?: string | null; sealed_activation_key?: string | null }
/** Secrets under the names that people know them by. */
const named = <Columns extends Sealed>({ sealed_given_key, sealed_activation_key, ...columns }: Columns) => ({
  ...columns,
  'data.head.privateKey': sealed_given_key,
  'data.rhel_activation_key': sealed_activation_key,
})
/** What an edit changes, for the audit trail. */
const clusterChanges = (before: StoredCluster, columns: Sealed): AuditChange[] =>
  changesOf(named(before), named(columns), ['data.head.privateKey', 'data.rhel_activation_key'])

export type Saving = ReturnType<typeof makeSaving>
/** Creates, edits and removes the records of clusters. What is stored of their input depends on the kind of cluster. */
export function makeSaving({ secrets, ldap, connections, now }: Options) {
  /** Inserts a row with its own key pair and notifies everyone who can see it. */
  const insert = async (tx: Transaction, id: string, ownerId: string, row: NewRow): Promise<void> => {
    const pair = makeSshKey(`flotilla-${id.slice(0, 6)}`)
    await store.insert(tx, {
      id,
      owner_id: ownerId,
      state: 'saved',
      state_since: new Date(now()),
      public_key: pair.publicKey,
      sealed_private_key: secrets.seal(pair.privateKey, sealContext.clusterKey(id)),
      created_at: new Date(now()),
      ...row,
    })
    await notifyIdentityChanged(tx, ownerId)
    await notifyClustersChanged(tx, id)
  }

  return {
    insert,

    /** Returns the id. `also` is done in the same transaction. */
    async create(
      me: Caller,
      input: Input,
      context: Context,
      rowOf: (id: string) => NewRow,
      also?: (tx: Transaction, id: string) => Promise<void>,
    ): Promise<string> {
      const directory = await directoryChange(ldap, input.ldapCollaborators)
      const id = newId()
      await context.transaction(async (tx) => {
        const row = rowOf(id)
        await insert(tx, id, me.id, row)
        await share(tx, id, input.collaborators)
        await shareWithDirectory(tx, ldap, id, directory)
        await record(tx, me, context, {
          action: 'created',
          subject: { kind: 'cluster', id, name: input.name },
          ...(isInCloud(row) && { detail: row.provider }),
        })
        await also?.(tx, id)
      })
      return id
    },

    /** `columnsOf` gets the cluster as it is under the lock: what someone saved since `found` was read is not undone. */
    async edit(
      me: Caller,
      { id, ldap_collaborators }: StoredCluster,
      input: Input,
      context: Context,
      columnsOf: (
        before: StoredCluster,
        tx: Transaction,
      ) => store.ClusterChanges | Promise<store.ClusterChanges>,
    ): Promise<void> {
      const directory = await directoryChange(ldap, input.ldapCollaborators, ldap_collaborators)
      await context.transaction(async (tx) => {
        await lockFor(tx, id, 'edit')
        const before = (await store.findAny(tx, id)) ?? fail('not_found')
        const changed = await columnsOf(before, tx)
        await store.update(tx, id, changed)
        const shares = await share(tx, id, input.collaborators)
        await shareWithDirectory(tx, ldap, id, directory)
        await record(tx, me, context, {
          action: 'edited',
          subject: subjectOf('cluster', { id, name: input.name }),
          changes: [...clusterChanges(before, changed), ...shares],
        })
        await notifyClustersChanged(tx, id)
      })
    },

    async remove(cluster: StoredCluster, actor: Actor, context: Context): Promise<void> {
      const { id } = cluster
      await context.transaction(async (tx) => {
        await lockFor(tx, id, 'remove')
        await notifyClustersChanged(tx, id)
        await store.remove(tx, id)
        await record(tx, actor, context, { action: 'deleted', subject: subjectOf('cluster', cluster) })
      })
      await connections.reset(id)
      await connections.removeSpool(id)
    },
  }
}
