import { isInCloud } from '@flotilla/contract/clusters/entity'
import type { NodeInfo } from '../../../schedulers/scheduler'
import { connectionSettings } from '../connection/settings'
import type { StoredCluster } from '../stored-cluster'
import { everyNode } from '../wanted-nodes'

/** Torque reports a node whose machine does not exist as down. */
export function markNotStarted(cluster: StoredCluster, nodes: NodeInfo[]): NodeInfo[] {
  if (!isInCloud(cluster) || !cluster.deployed) return nodes
  if (connectionSettings(cluster).manager !== 'torque') return nodes
  const up = new Set(cluster.deployed.machines.map(({ name }) => name))
  const mayBe = new Set(everyNode(cluster).map(({ name }) => name))
  return nodes.map((node) =>
    !up.has(node.name) && mayBe.has(node.name) ? { ...node, state: 'offline', note: 'not started' } : node,
  )
}
