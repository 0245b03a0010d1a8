import type { Cluster } from '@flotilla/contract/clusters/entity'
import { Suspense, lazy } from 'react'
import { lifecycle } from './cluster-actions'
import type { Action } from './cluster-actions'

// With their forms, these are as large as the list itself, so they are loaded on demand.
const CloudDialog = lazy(() => import('../cloud-dialogs/cloud-dialog'))
const LifecycleDialog = lazy(() => import('./lifecycle-dialog'))
const ShareDialog = lazy(() => import('./share-dialog'))

/** A cluster action, or sharing, which has a dialog too. */
export type OpenDialog = Action | 'share'

interface Props {
  cluster: Cluster
  action: OpenDialog
  /** The nodes that were selected before the dialog opened. */
  nodes?: readonly string[] | undefined
  onClose: () => void
  /** Called when the cluster was deleted, so that its page is left. */
  onRemoved?: () => void
}

/** The dialog of an action. */
export function ActionDialog(props: Props) {
  return (
    <Suspense fallback={null}>
      <Chosen {...props} />
    </Suspense>
  )
}

function Chosen({ cluster, action, nodes, onClose, onRemoved }: Props) {
  if (action === 'share') return <ShareDialog cluster={cluster} onClose={onClose} />
  if (cluster.provider !== 'local')
    return <CloudDialog cluster={cluster} action={action} onClose={onClose} {...{ nodes, onRemoved }} />
  const known = lifecycle.find((one) => one === action)
  if (!known) return null
  return (
    <LifecycleDialog cluster={cluster} action={known} onClose={onClose} {...(onRemoved && { onRemoved })} />
  )
}
