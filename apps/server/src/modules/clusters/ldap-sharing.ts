import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { LdapEntryRef } from '@flotilla/contract/ldap-entry'
import { LDAP_COLLABORATORS_MAX } from '@flotilla/contract/limits'
import type { Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { notifyIdentityChanged } from '../../live/live'
import { record } from '../activities/activities'
import type { Ldap } from '../ldap/ldap'
import type { Clusters } from './clusters'
import { notifyClustersChanged } from './notify'
import * as store from './store'

type Options = { ldap: Pick<Ldap, 'resolve' | 'dnKey'>; clusters: Clusters }

/** Shares clusters with people and groups of directories, also with those who have not logged in here yet. */
export type LdapSharing = ReturnType<typeof makeLdapSharing>
export function makeLdapSharing({ ldap, clusters }: Options) {
  /** Notifies those who gain or lose the cluster, and writes it down. */
  const noteChange = async (
    tx: Transaction,
    me: Caller,
    cluster: { id: string; name: string },
    refs: LdapEntryRef[],
    detail: string,
    context: RequestContext,
  ): Promise<void> => {
    for (const serverId of new Set(refs.map((ref) => ref.serverId))) {
      const keys = refs.filter((ref) => ref.serverId === serverId).map(({ dn }) => ldap.dnKey(dn))
      for (const userId of await store.usersOfEntries(tx, serverId, keys))
        await notifyIdentityChanged(tx, userId)
    }
    await record(tx, me, context, {
      action: 'collaborators changed',
      subject: `cluster ${cluster.name}`,
      detail,
      clusterId: cluster.id,
    })
    await notifyClustersChanged(tx, cluster.id)
  }

  return {
    async add(me: Caller, id: string, refs: LdapEntryRef[], context: RequestContext): Promise<Cluster> {
      const cluster = await clusters.mine(me, id, context)
      if (cluster.ldap_collaborators.length + refs.length > LDAP_COLLABORATORS_MAX)
        fail('bad_input', {
          fields: {
            collaborators: `A cluster is shared with at most ${LDAP_COLLABORATORS_MAX} people and groups`,
          },
        })
      const entries = await ldap.resolve(refs, 'collaborators')
      await context.transaction(async (tx) => {
        if (!(await store.lock(tx, id))) fail('not_found')
        await store.addLdapCollaborators(
          tx,
          entries.map(({ serverId, dn, kind, name }) => ({
            cluster_id: id,
            server_id: serverId,
            dn_key: ldap.dnKey(dn),
            dn,
            kind,
            name,
          })),
        )
        await noteChange(tx, me, cluster, entries, `added ${entries.map(({ dn }) => dn).join('; ')}`, context)
      })
      return clusters.view(me, id)
    },

    async remove(me: Caller, id: string, refs: LdapEntryRef[], context: RequestContext): Promise<Cluster> {
      const cluster = await clusters.mine(me, id, context)
      await context.transaction(async (tx) => {
        for (const { serverId, dn } of refs)
          await store.removeLdapCollaborator(tx, id, serverId, ldap.dnKey(dn))
        await noteChange(tx, me, cluster, refs, `removed ${refs.map(({ dn }) => dn).join('; ')}`, context)
      })
      return clusters.view(me, id)
    },
  }
}
