import { isClusterActionAllowed, clusterBlockedReason } from '@flotilla/contract/clusters/states'
import type { ClusterAction } from '@flotilla/contract/clusters/states'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import {
  Ban,
  CirclePlus,
  CircleMinus,
  ClipboardList,
  CloudOff,
  Gauge,
  HardDrive,
  Pause,
  Play,
  RefreshCw,
  Rocket,
  Scaling,
  ShieldCheck,
  Trash2,
  Unplug,
  Zap,
} from 'lucide-react'
import type { Icon } from '../../../ui/status/icon'

/** Actions that every cluster has. */
export const lifecycle = ['deploy', 'stop', 'start', 'destroy', 'forceDestroy', 'remove'] as const
export type Lifecycle = (typeof lifecycle)[number]
/** Actions that only cloud clusters have. */
const cloudOnly = [
  'plan',
  'applyChanges',
  'cancel',
  'deployNodes',
  'destroyNodes',
  'addDisks',
  'resize',
  'burst',
  'openvpn',
  'fastRestore',
] as const
export type Action = Lifecycle | (typeof cloudOnly)[number]

export interface ActionInfo {
  label: string
  icon: Icon
  /** The row of the state table that applies. */
  rule: ClusterAction
}

export const actions: Record<Action, ActionInfo> = {
  plan: { label: 'Plan', icon: ClipboardList, rule: 'plan' },
  deploy: { label: 'Deploy', icon: Rocket, rule: 'deploy' },
  applyChanges: { label: 'Apply changes', icon: RefreshCw, rule: 'applyChanges' },
  cancel: { label: 'Cancel', icon: Ban, rule: 'cancel' },
  stop: { label: 'Stop', icon: Pause, rule: 'stop' },
  start: { label: 'Start', icon: Play, rule: 'start' },
  deployNodes: { label: 'Deploy nodes', icon: CirclePlus, rule: 'change' },
  destroyNodes: { label: 'Destroy nodes', icon: CircleMinus, rule: 'change' },
  addDisks: { label: 'Add disks', icon: HardDrive, rule: 'change' },
  resize: { label: 'Resize', icon: Scaling, rule: 'change' },
  burst: { label: 'Burst mode', icon: Gauge, rule: 'setBurstMode' },
  openvpn: { label: 'OpenVPN', icon: ShieldCheck, rule: 'change' },
  fastRestore: { label: 'Fast snapshot restore', icon: Zap, rule: 'change' },
  destroy: { label: 'Destroy', icon: Unplug, rule: 'destroy' },
  forceDestroy: { label: 'Force destroy', icon: CloudOff, rule: 'forceDestroy' },
  remove: { label: 'Delete', icon: Trash2, rule: 'remove' },
}

/** The actions of cloud clusters in menu order; null is a separator. */
const cloudActions: readonly (Action | null)[] = [
  'plan',
  'deploy',
  'applyChanges',
  'cancel',
  'stop',
  'start',
  null,
  'deployNodes',
  'destroyNodes',
  'addDisks',
  'resize',
  'burst',
  'openvpn',
  'fastRestore',
  null,
  'destroy',
  'forceDestroy',
  'remove',
]

/** All actions of a cluster, whatever its state. */
export function actionsOf(cluster: Cluster): readonly (Action | null)[] {
  if (cluster.provider === 'local') return lifecycle
  const has = (action: Action | null): boolean => {
    if (action === 'fastRestore') return cluster.provider === 'aws'
    // MAAS machines have only built-in disks.
    return action !== 'addDisks' || cluster.provider !== 'maas'
  }
  return cloudActions.filter(has)
}

/** Why the action is not possible on any of these nodes, or null. */
export function nodesBlockedReason(
  cluster: Cluster,
  action: 'deployNodes' | 'destroyNodes',
  names: readonly string[],
): string | null {
  if (cluster.provider === 'local') return null
  const up = new Set(cluster.machines.map(({ name }) => name))
  if (names.some((name) => up.has(name) === (action === 'destroyNodes'))) return null
  return action === 'destroyNodes' ? 'It is not running' : 'It is already running'
}

const nothingEdited = 'No edits since it was deployed'

export const ownerOnlyReason = ({ owner }: Pick<Cluster, 'owner'>): string =>
  `Only the owner, ${owner}, can change this cluster`

/** Why the user cannot do this now, or null. */
export function actionBlockedReason(cluster: Cluster, action: Action | 'edit' | 'operate'): string | null {
  if (!cluster.mine) return ownerOnlyReason(cluster)
  const rule = action === 'edit' || action === 'operate' ? action : actions[action].rule
  const { state } = cluster.info
  if (!isClusterActionAllowed(rule, state)) return clusterBlockedReason(rule, state)
  if (cluster.provider === 'local') return null
  if (action === 'applyChanges' && !cluster.edited && cluster.drift === 0) return nothingEdited
  const up = cluster.machines.filter(({ role }) => role === 'node').length
  if (action === 'deployNodes' && up >= cluster.nodeNames.length)
    return 'All nodes are running. Resize a group to add more.'
  if (action === 'destroyNodes' && up === 0) return 'No nodes are running'
  return null
}
