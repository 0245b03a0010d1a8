import type { Cluster } from '@flotilla/contract/clusters/entity'
import { Suspense, lazy } from 'react'
import { lifecycle } from './cluster-actions'
import type { Action } from './cluster-actions'
import { LifecycleDialog } from './lifecycle-dialog'

// With their forms they are as large as the list itself: they come when somebody asks for them.
const CloudDialog = lazy(() => import('./cloud/cloud-dialog'))
const ShareDialog = lazy(() => import('./share-dialog'))

/** What can be asked for: what is done to the cluster, and who else may use it. */
export type Asked = Action | 'share'

interface Props {
  cluster: Cluster
  action: Asked
  /** The nodes it is about, where some were chosen already. */
  nodes?: readonly string[] | undefined
  onClose: () => void
  /** Its record is gone: whoever shows it must leave. */
  onRemoved?: () => void
}

/** Whatever is asked before an action, and the action. */
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
