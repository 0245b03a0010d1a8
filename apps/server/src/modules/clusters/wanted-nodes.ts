import { createHash } from 'node:crypto'
import type { WantedMachine } from '../../providers/provider'
import type { CloudCluster, Deployed } from './stored-cluster'

/** What exists, as long as machines are among it: of a destroy that failed only disks may be left. */
export const machinesOf = ({ deployed }: CloudCluster): Deployed | null =>
  deployed && deployed.machines.length > 0 ? deployed : null

type Edited = Pick<CloudCluster, 'data' | 'info' | 'stack_id' | 'sealed_activation_key'>
/** A mark of everything that an edit can change; which nodes are up, and when they are, is no part of it. */
export const madeFrom = ({ data, info, stack_id, sealed_activation_key }: Edited): string => {
  const { bursting: _when, ...rest } = info
  const key = sealed_activation_key === null ? [] : [sealed_activation_key]
  return createHash('sha256')
    .update(JSON.stringify([data, rest, stack_id, ...key]))
    .digest('base64url')
}

/** Whether what exists was made from the cluster as it was before an edit. */
export const isEdited = (cluster: CloudCluster): boolean =>
  cluster.deployed !== null && cluster.deployed.madeFrom !== madeFrom(cluster)

type Groups = Pick<CloudCluster, 'data' | 'info'>
/** Every node that the groups may have, in order: those that share a prefix are numbered on. */
export function everyNode({ data, info }: Groups): WantedMachine[] {
  const last = new Map<string, number>()
  return data.node.group.flatMap((group, index) =>
    Array.from({ length: group.count }, (): WantedMachine => {
      const prefix = group.group_node_prefix || info.node_prefix || 'node'
      const number = (last.get(prefix) ?? 0) + 1
      last.set(prefix, number)
      const { instance_id, ocpus, mem, efa, gpu_partition_mode } = group
      return { name: `${prefix}${number}`, group: index, instance_id, ocpus, mem, efa, gpu_partition_mode }
    }),
  )
}

/** Those of them that are to be up. A name that no group has any more is not. */
export const wantedNodes = (cluster: Groups & Pick<CloudCluster, 'up_nodes'>): WantedMachine[] => {
  const up = new Set(cluster.up_nodes)
  return everyNode(cluster).filter(({ name }) => up.has(name))
}

/** Which nodes come up with the cluster itself. */
export function nodesAtDeploy(cluster: Groups): string[] {
  const { mode, burstOnDeploy } = cluster.info.bursting
  return mode === 'always' || mode === 'off' || burstOnDeploy
    ? everyNode(cluster).map(({ name }) => name)
    : []
}
