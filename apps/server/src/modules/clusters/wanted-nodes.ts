import { createHash } from 'node:crypto'
import type { WantedMachine } from '../../providers/provider'
import type { CloudCluster, Deployed } from './stored-cluster'

/** What is deployed, if it includes machines: a failed destroy may leave only disks. */
export const machinesOf = ({ deployed }: CloudCluster): Deployed | null =>
  deployed && deployed.machines.length > 0 ? deployed : null

type Edited = Pick<CloudCluster, 'data' | 'info' | 'stack_id' | 'sealed_activation_key'>
/** Fields that did not exist when some clusters were deployed. With these values they do not count as an edit. */
const newFields: Record<string, unknown> = {
  spot: false,
  compact: false,
  tier1: false,
  rdma: false,
  allowed_ranges: [],
  mounts: [],
  id: '',
  gpu_software: 'driver',
}
const asMade = (key: string, value: unknown): unknown =>
  key in newFields && JSON.stringify(value) === JSON.stringify(newFields[key]) ? undefined : value

/** A digest of everything that an edit can change; which nodes are up, and when, is not part of it. */
export const madeFrom = ({ data, info, stack_id, sealed_activation_key }: Edited): string => {
  const { bursting: _when, ...rest } = info
  const key = sealed_activation_key === null ? [] : [sealed_activation_key]
  return createHash('sha256')
    .update(JSON.stringify([data, rest, stack_id, ...key], asMade))
    .digest('base64url')
}

/** Whether the cluster has been edited since its machines were made. */
export const isEdited = (cluster: CloudCluster): boolean =>
  cluster.deployed !== null && cluster.deployed.madeFrom !== madeFrom(cluster)

/** The nodes that are up, without those that have vanished from the cloud. */
export const presentNodes = ({ machines }: Deployed): string[] =>
  machines
    .filter(({ role, vanishedAt }) => role === 'node' && vanishedAt === undefined)
    .map(({ name }) => name)

/** The machines that vanished, and how many changes the plan found. */
export type Drift = { vanished: string[]; changes: number }

/**
 * What is known to have changed in the cloud without us. Only a plan of what was deployed shows that: a plan of an edit
 * lists the edit, even after the edit was reverted. Vanished machines count regardless of edits.
 */
export function driftOf(cluster: CloudCluster): Drift {
  const { state, deployed, plan } = cluster
  if (state !== 'available' || !deployed) return { vanished: [], changes: 0 }
  const isOfDeployed = !isEdited(cluster) && plan?.madeFrom === deployed.madeFrom
  return {
    vanished: deployed.machines.flatMap(({ name, vanishedAt }) => (vanishedAt === undefined ? [] : [name])),
    changes: isOfDeployed ? plan.changes.length : 0,
  }
}
/** A plan that was made after machines vanished lists them too. */
export const countDrift = ({ vanished, changes }: Drift): number => Math.max(vanished.length, changes)

type Groups = Pick<CloudCluster, 'data' | 'info'>
/** The prefix of the names of a group's nodes. */
export const prefixOfGroup = (
  { info }: Pick<Groups, 'info'>,
  { group_node_prefix }: Groups['data']['node']['group'][number],
): string => group_node_prefix || info.node_prefix || 'node'

/** Every node that the groups can have, in order; groups that share a prefix share its numbering. */
export function everyNode({ data, info }: Groups): WantedMachine[] {
  const last = new Map<string, number>()
  return data.node.group.flatMap((group, index) =>
    Array.from({ length: group.count }, (): WantedMachine => {
      const prefix = prefixOfGroup({ info }, group)
      const number = (last.get(prefix) ?? 0) + 1
      last.set(prefix, number)
      const { instance_id, ocpus, mem, efa, compact, tier1, rdma, spot, gpu_partition_mode } = group
      const name = `${prefix}${number}`
      const wishes = { efa, compact, tier1, rdma, spot, gpu_partition_mode }
      return { name, group: index, instance_id, ocpus, mem, ...wishes }
    }),
  )
}

/** The nodes that should be up. Names that no group has any longer are ignored. */
export const wantedNodes = (cluster: Groups & Pick<CloudCluster, 'up_nodes'>): WantedMachine[] => {
  const up = new Set(cluster.up_nodes)
  return everyNode(cluster).filter(({ name }) => up.has(name))
}

/** The nodes that come up when the cluster is deployed. */
export function nodesAtDeploy(cluster: Groups): string[] {
  const { mode, burstOnDeploy } = cluster.info.bursting
  return mode === 'always' || mode === 'off' || burstOnDeploy
    ? everyNode(cluster).map(({ name }) => name)
    : []
}
