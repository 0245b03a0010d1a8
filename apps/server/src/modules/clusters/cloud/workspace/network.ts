import { acceleratesNetwork } from '../../../../providers/azure/images'
import type { Catalogue, MachineNetwork, WantedMachine } from '../../../../providers/provider'
import type { CloudCluster } from '../../stored-cluster'
import { prefixOfGroup } from '../../wanted-nodes'

type Placed = Pick<CloudCluster, 'provider' | 'data' | 'info' | 'deployed'>

/** Of a machine that was made before this was recorded. */
const older: MachineNetwork = { place: '', efaInterfaces: 1, accelerated: false }

/** Named by what a group's nodes are called, so that a group keeps its place when others come and go. */
function placeOfGroup(cluster: Placed, index: number): string {
  const groups = cluster.data.node.group.slice(0, index + 1)
  const prefixes = groups.map((group) => prefixOfGroup(cluster, group))
  const prefix = prefixes.at(-1)
  return `${prefix}-${prefixes.filter((one) => one === prefix).length}`
}

/**
 * Where the nodes of each group are placed. None are made for a cluster of an older version until it is changed: a plan
 * of it would show them as changed by others.
 */
export function placesOf(cluster: Placed): string[] {
  const head = cluster.deployed?.machines.find(({ role }) => role === 'head')
  const isOlder = head !== undefined && head.network === undefined
  return cluster.data.node.group.map((_group, index) => (isOlder ? '' : placeOfGroup(cluster, index)))
}

/** How a node is connected: as it was made, or as it is to be made. */
export function networkOf(
  cluster: Placed,
  catalogue: Catalogue | null,
  { name, group, instance_id }: Pick<WantedMachine, 'name' | 'group' | 'instance_id'>,
): MachineNetwork {
  const there = cluster.deployed?.machines.find((one) => one.role === 'node' && one.name === name)
  if (there) return there.network ?? older
  const size = catalogue?.sizes.find((one) => one.instance_id === instance_id)
  return {
    place: placeOfGroup(cluster, group),
    efaInterfaces: size?.efaInterfaces ?? 1,
    accelerated: isAccelerated(cluster, instance_id),
  }
}

/** That of the head node. */
export function headNetworkOf(cluster: Placed): MachineNetwork {
  const there = cluster.deployed?.machines.find(({ role }) => role === 'head')
  if (there) return there.network ?? older
  return { ...older, accelerated: isAccelerated(cluster, cluster.data.server.instance_id) }
}

const isAccelerated = ({ provider }: Placed, instanceId: string) =>
  provider === 'azure' && acceleratesNetwork(instanceId)
