import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { LdapEntryRef } from '@flotilla/contract/ldap-entry'
import { LDAP_COLLABORATORS_MAX } from '@flotilla/contract/limits'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { record, subjectOf } from '../../activities/activities'
import { notifyClustersChanged } from '../notify'
import { shareWithDirectory, type DirectoryChange, type DirectoryLookup } from './sharing'
import * as store from '../store'
import type { StoredCluster } from '../stored-cluster'

type Options = {
  ldap: DirectoryLookup
  mine(me: Caller, id: string, context: RequestContext): Promise<StoredCluster>
  view(me: Caller, id: string): Promise<Cluster>
}

/** Shares clusters with people and groups of directories, also with those who have not logged in here yet. */
export type LdapSharing = ReturnType<typeof makeLdapSharing>
export function makeLdapSharing({ ldap, mine, view }: Options) {
  const change = async (
    me: Caller,
    cluster: { id: string; name: string },
    changed: DirectoryChange,
    context: RequestContext,
  ): Promise<Cluster> => {
    const { added, removed } = changed
    const names = (refs: LdapEntryRef[]) => refs.map(({ dn }) => dn).join('; ')
    await context.transaction(async (tx) => {
      if (!(await store.lock(tx, cluster.id))) fail('not_found')
      await shareWithDirectory(tx, ldap, cluster.id, changed)
      await record(tx, me, context, {
        action: 'collaborators changed',
        subject: subjectOf('cluster', cluster),
        detail: added.length > 0 ? `added ${names(added)}` : `removed ${names(removed)}`,
      })
      await notifyClustersChanged(tx, cluster.id)
    })
    return view(me, cluster.id)
  }

  return {
    async add(me: Caller, id: string, refs: LdapEntryRef[], context: RequestContext): Promise<Cluster> {
      const cluster = await mine(me, id, context)
      if (cluster.ldap_collaborators.length + refs.length > LDAP_COLLABORATORS_MAX)
        fail('bad_input', {
          fields: {
            collaborators: `A cluster is shared with at most ${LDAP_COLLABORATORS_MAX} people and groups`,
          },
        })
      const added = await ldap.resolve(refs, 'collaborators')
      return change(me, cluster, { added, removed: [] }, context)
    },
    async remove(me: Caller, id: string, refs: LdapEntryRef[], context: RequestContext): Promise<Cluster> {
      return change(me, await mine(me, id, context), { added: [], removed: refs }, context)
    },
  }
}
