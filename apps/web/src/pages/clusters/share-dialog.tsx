import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { ldap } from '@flotilla/contract/people/ldap'
import { useApiMutation, useApiQuery } from '../../api/query'
import { CollaboratorsDialog } from '../../sharing/collaborators-dialog'
import { LdapCollaborators } from '../../sharing/ldap-collaborators'
import { useIsAdmin } from '../../session/user'
import { useAdminScope } from './use-admin-scope'

/** Who else can use a cluster. */
export default function ShareDialog({ cluster, onClose }: { cluster: Cluster; onClose: () => void }) {
  const options = {
    admin: useAdminScope(cluster),
    invalidates: [clusters.list, clusters.view, clusters.activities],
  }
  const share = useApiMutation(clusters.collaborators, {
    ...options,
    success: 'Sharing updated',
    onSuccess: onClose,
  })
  const add = useApiMutation(clusters.addLdapCollaborators, { ...options, success: 'Sharing updated' })
  const remove = useApiMutation(clusters.removeLdapCollaborators, { ...options, success: 'Sharing updated' })
  const servers = useApiQuery(ldap.active, {})
  const hasLdap = (servers.data?.length ?? 0) > 0 || cluster.ldapCollaborators.length > 0
  // Clusters owned by admins need no acceptance, and neither does this machine.
  const isAdmin = useIsAdmin()
  const asksFirst = !isAdmin && cluster.provider === 'local' && cluster.data.head !== null
  return (
    <CollaboratorsDialog
      subject={cluster.name}
      owner={cluster.owner}
      collaborators={cluster.collaborators}
      hint={
        cluster.forEveryone
          ? 'It is already shared with everyone on this site. These people keep access if that ends.'
          : asksFirst
            ? 'They can see the cluster and, once they accept it, submit jobs to it. They cannot change it.'
            : 'They can see the cluster and submit jobs to it. They cannot change it.'
      }
      onSave={(collaborators) => share.mutateAsync({ body: { id: cluster.id, collaborators } })}
      onClose={onClose}
    >
      {hasLdap && (
        <LdapCollaborators
          collaborators={cluster.ldapCollaborators}
          busy={add.isPending || remove.isPending}
          onAdd={({ serverId, dn }) =>
            add.mutate({ body: { id: cluster.id, collaborators: [{ serverId, dn }] } })
          }
          onRemove={({ serverId, dn }) =>
            remove.mutate({ body: { id: cluster.id, collaborators: [{ serverId, dn }] } })
          }
        />
      )}
    </CollaboratorsDialog>
  )
}
