import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import type { Action } from '../actions/cluster-actions'
import { BurstDialog } from './burst-dialog'
import { DeployDialog } from './deploy-dialog'
import { DestroyDialog } from './destroy-dialog'
import { DisksDialog } from './disks-dialog'
import { FastRestoreDialog } from './fast-restore-dialog'
import { NodesDialog } from './nodes-dialog'
import { OpenvpnDialog } from './openvpn-dialog'
import { PlainDialog } from './plain-dialog'
import { ResizeDialog } from './resize-dialog'

interface Props {
  cluster: CloudCluster
  action: Action
  nodes?: readonly string[] | undefined
  onClose: () => void
  onRemoved?: (() => void) | undefined
}

/** The dialog of an action on a cloud cluster. It explains what the action does, what it costs and what is lost. */
export default function CloudDialog({ cluster, action, nodes, onClose, onRemoved }: Props) {
  const about = { cluster, onClose }
  switch (action) {
    case 'deploy':
    case 'applyChanges':
      return <DeployDialog {...about} action={action} />
    case 'destroy':
    case 'forceDestroy':
      return <DestroyDialog {...about} force={action === 'forceDestroy'} />
    case 'deployNodes':
    case 'destroyNodes':
      return <NodesDialog {...about} up={action === 'deployNodes'} chosen={nodes} />
    case 'addDisks':
      return <DisksDialog {...about} />
    case 'resize':
      return <ResizeDialog {...about} />
    case 'burst':
      return <BurstDialog {...about} />
    case 'openvpn':
      return <OpenvpnDialog {...about} />
    case 'fastRestore':
      return <FastRestoreDialog {...about} />
    case 'plan':
    case 'stop':
    case 'start':
    case 'cancel':
    case 'remove':
      return <PlainDialog {...about} action={action} onRemoved={onRemoved} />
  }
}
