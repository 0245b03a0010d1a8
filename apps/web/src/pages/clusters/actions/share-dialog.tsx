import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { useApiMutation } from '../../../api/query'
import { CollaboratorsDialog } from '../../../sharing/collaborators-dialog'
import { LdapCollaborators, useHasLdap } from '../../../sharing/ldap-collaborators'
import { useIsAdmin } from '../../../session/user'
import { useAdminScope } from '../use-admin-scope'

/** Edits who else can use a cluster. */
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
  const hasLdap = useHasLdap(cluster.ldapCollaborators)
  // Collaborators do not have to accept clusters that are owned by admins or run on the console's own machine.
  const isAdmin = useIsAdmin()
  const needsAcceptance = !isAdmin && cluster.provider === 'local' && cluster.data.head !== null
  return (
    <CollaboratorsDialog
      subject={cluster.name}
      owner={cluster.owner}
      collaborators={cluster.collaborators}
      hint={
        cluster.forEveryone
          ? 'It is already shared with everyone on this site. These people keep access if that ends.'
          : needsAcceptance
            ? 'They can see the cluster and, once they accept it, submit jobs to it. They cannot change it.'
            : 'They can see the cluster and submit jobs to it. They cannot change it.'
      }
      onSave={(collaborators) => share.mutateAsync({ body: { id: cluster.id, collaborators } })}
      onClose={onClose}
    >
      {hasLdap && (
        <LdapCollaborators
          collaborators={cluster.ldapCollaborators}
          hint="Changes are saved immediately."
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
