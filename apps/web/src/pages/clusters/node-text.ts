import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { ClusterNode } from '@flotilla/contract/clusters/tables'
import type { Tone } from '../../ui/status/tone'
import { countsText } from './cluster-text'

type NodeState = Exclude<keyof Cluster['nodes'], 'total'>

const tones: Record<NodeState, Tone> = {
  available: 'green',
  busy: 'blue',
  down: 'red',
  offline: 'amber',
  unknown: 'gray',
}
export const nodeStates: readonly NodeState[] = ['available', 'busy', 'down', 'offline', 'unknown']

/** The tone of a node. Gray if it is stopped or was never started, because it is then expected to be offline. */
export const nodeTone = ({ state, note }: Pick<ClusterNode, 'state' | 'note'>): Tone =>
  note === 'not started' || note === 'stopped' ? 'gray' : tones[state]

/** The number of nodes that are expected to be offline, because they are stopped or were never started. */
function expectedOffline(cluster: Cluster): number {
  const { offline } = cluster.nodes
  if (cluster.info.state === 'stopped') return offline
  if (cluster.provider === 'local') return 0
  const up = new Set(cluster.machines.map(({ name }) => name))
  return Math.min(offline, cluster.nodeNames.filter((name) => !up.has(name)).length)
}

interface NodePart {
  label: string
  count: number
  tone: Tone
}
/** All nodes by state. */
export function nodeParts(cluster: Cluster): NodePart[] {
  const rest = expectedOffline(cluster)
  return nodeStates.flatMap((state): NodePart[] => {
    const count = cluster.nodes[state] - (state === 'offline' ? rest : 0)
    const part = { label: state, count, tone: tones[state] }
    const label = cluster.info.state === 'stopped' ? 'stopped' : 'not started'
    return state === 'offline' ? [part, { label, count: rest, tone: 'gray' }] : [part]
  })
}

/** The tone of a state, for all its nodes together. */
export const stateTone = (cluster: Cluster, state: NodeState): Tone =>
  state === 'offline' && cluster.nodes.offline > 0 && expectedOffline(cluster) === cluster.nodes.offline
    ? 'gray'
    : tones[state]

export const nodesText = (cluster: Cluster): string =>
  countsText(
    nodeParts(cluster).map(({ label, count }) => [count, label] as const),
    'No nodes',
  )
