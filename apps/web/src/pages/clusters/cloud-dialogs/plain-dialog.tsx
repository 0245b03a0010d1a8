import { clusters } from '@flotilla/contract/clusters/clusters'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import { messages } from '@flotilla/contract/messages'
import { useApiMutation } from '../../../api/query'
import { paths, useGo } from '../../../paths'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { actions } from '../actions/cluster-actions'
import { FullPrice } from '../price/full-price'
import { useChanges } from './use-changes'
import { useDeploy } from './use-deploy'

type Plain = 'plan' | 'stop' | 'start' | 'cancel' | 'remove'

interface Props {
  cluster: CloudCluster
  action: Plain
  onClose: () => void
  onRemoved?: (() => void) | undefined
}

const nodesText = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`)

/** The texts are in the present tense, so that they are correct before and after the action. */
const texts: Record<Plain, (cluster: CloudCluster) => readonly string[]> = {
  plan: () => [
    'The console compares the cluster with what exists in the cloud and lists what would be added, changed or destroyed.',
    'Nothing is created, and it costs nothing. You see every change, with its price, before you deploy.',
  ],
  stop: ({ machines }) => [
    `The head node and ${nodesText(machines.length - 1)} are shut down. Running jobs end. Queued jobs start when the cluster is started again.`,
    'Stopped machines cost nothing. Their disks and reserved addresses are kept and still cost money.',
  ],
  start: () => [
    'Its machines start and run jobs again. A machine may get a different public address, unless a reserved one was chosen.',
    'From then on, the machines cost money again.',
  ],
  cancel: ({ info }) => [
    `The action in progress (${info.state}) ends gracefully: steps that have started finish, and no new ones start.`,
    'What was created so far stays in the cloud and costs money until you destroy the cluster or deploy it again.',
  ],
  remove: () => [
    'The cluster is deleted for you and everyone it is shared with.',
    'Its logs, activities, load history and SSH key are permanently deleted. Only disks that you kept remain in the cloud.',
  ],
}
const confirmLabels: Record<Plain, string> = {
  plan: 'Plan cluster',
  stop: 'Stop cluster',
  start: 'Start cluster',
  cancel: 'Cancel action',
  remove: 'Delete cluster',
}

export function PlainDialog({ cluster, action, onClose, onRemoved }: Props) {
  const run = useRun(cluster, onRemoved)
  const irreversible = action === 'remove'
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={
        action === 'cancel'
          ? `Cancel ${cluster.info.state} ${cluster.name}?`
          : `${actions[action].label} ${cluster.name}?`
      }
      confirmLabel={confirmLabels[action]}
      {...(action === 'cancel' && { keepLabel: 'Keep going' })}
      danger={irreversible || action === 'cancel'}
      {...(irreversible && { typeToConfirm: cluster.name })}
      // A failure opens the ERROR dialog; this one then closes.
      onConfirm={() => run(action).then(onClose, onClose)}
    >
      {texts[action](cluster).map((line) => (
        <p key={line}>{line}</p>
      ))}
      {action === 'start' && <FullPrice cluster={cluster} />}
    </ConfirmDialog>
  )
}

function useRun(cluster: CloudCluster, onRemoved?: () => void): (action: Plain) => Promise<unknown> {
  const { id } = cluster
  const go = useGo()
  const changes = useChanges(cluster)
  const deploy = useDeploy({ admin: changes.admin, success: messages.clusterPlanInitiated })
  const stop = useApiMutation(clusters.stop, { ...changes, success: messages.clusterStopInitiated })
  const start = useApiMutation(clusters.start, { ...changes, success: messages.clusterStartInitiated })
  const cancel = useApiMutation(lifecycle.cancel, { ...changes, success: 'Canceling the action' })
  const remove = useApiMutation(clusters.remove, {
    ...changes,
    success: messages.clusterDeleted,
    invalidates: [clusters.list],
    ...(onRemoved && { onSuccess: onRemoved }),
  })
  return async (action) => {
    switch (action) {
      case 'plan':
        await deploy.mutateAsync({ body: { id, onlyplan: true } })
        return go(paths.cluster(id, 'plan'))
      case 'stop':
        return stop.mutateAsync({ body: { id } })
      case 'start':
        return start.mutateAsync({ body: { id } })
      case 'cancel':
        return cancel.mutateAsync({ body: { id } })
      case 'remove':
        return remove.mutateAsync({ id })
    }
  }
}
