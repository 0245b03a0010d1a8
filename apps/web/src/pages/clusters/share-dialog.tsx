import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { useApiMutation } from '../../api/query'
import { CollaboratorsDialog } from '../../sharing/collaborators-dialog'
import { useIsAdmin } from '../../session/user'
import { useAdminScope } from './use-admin-scope'

/** Who else can use a cluster. */
export default function ShareDialog({ cluster, onClose }: { cluster: Cluster; onClose: () => void }) {
  const share = useApiMutation(clusters.collaborators, {
    admin: useAdminScope(cluster),
    success: 'Sharing updated',
    invalidates: [clusters.list, clusters.view, clusters.activities],
    onSuccess: onClose,
  })
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
    />
  )
}
