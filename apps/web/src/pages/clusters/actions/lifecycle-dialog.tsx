import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { messages } from '@flotilla/contract/messages'
import { useApiMutation } from '../../../api/query'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { actions } from './cluster-actions'
import type { Lifecycle } from './cluster-actions'
import { lifecycleTexts } from './lifecycle-text'
import { useAdminScope } from '../use-admin-scope'

interface Props {
  cluster: Cluster
  action: Lifecycle
  onClose: () => void
  /** Called when the cluster was deleted, so that its page is left. */
  onRemoved?: () => void
}

/** Explains what an action does and what is lost, then starts it. The action continues in the background. */
export default function LifecycleDialog({ cluster, action, onClose, onRemoved }: Props) {
  const run = useRun(cluster, onRemoved)
  const { label } = actions[action]
  const { happens, lost, irreversible } = lifecycleTexts[action]
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`${label} ${cluster.name}?`}
      confirmLabel={`${label} cluster`}
      danger={irreversible}
      {...(irreversible && { typeToConfirm: cluster.name })}
      // A failure opens the ERROR dialog; this one then closes.
      onConfirm={() => run(action).then(onClose, onClose)}
    >
      <p>{happens(cluster)}</p>
      <p>{lost(cluster)}</p>
    </ConfirmDialog>
  )
}

function useRun(cluster: Cluster, onRemoved?: () => void): (action: Lifecycle) => Promise<unknown> {
  const { id } = cluster
  const admin = useAdminScope(cluster)
  const changes = { admin, invalidates: [clusters.list, clusters.view, clusters.logs, clusters.activities] }
  const deploy = useApiMutation(clusters.deploy, changes)
  const stop = useApiMutation(clusters.stop, changes)
  const start = useApiMutation(clusters.start, changes)
  const destroy = useApiMutation(clusters.destroy, changes)
  const remove = useApiMutation(clusters.remove, {
    admin,
    success: messages.clusterDeleted,
    invalidates: [clusters.list],
    ...(onRemoved && { onSuccess: onRemoved }),
  })
  return (action) => {
    switch (action) {
      case 'deploy':
        return deploy.mutateAsync({ body: { id } })
      case 'stop':
        return stop.mutateAsync({ body: { id } })
      case 'start':
        return start.mutateAsync({ body: { id } })
      case 'destroy':
        return destroy.mutateAsync({ body: { id } })
      case 'forceDestroy':
        return destroy.mutateAsync({ body: { id, resetingState: true } })
      case 'remove':
        return remove.mutateAsync({ id })
    }
  }
}
