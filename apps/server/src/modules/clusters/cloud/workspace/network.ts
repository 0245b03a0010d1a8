import { acceleratesNetwork, hasInfiniband } from '../../../../providers/azure/images'
import type { Catalog, MachineNetwork, WantedMachine } from '../../../../providers/provider'
import type { Problem } from '@flotilla/contract/clusters/impossible/values'
import type { CloudCluster } from '../../stored-cluster'
import { everyNode, prefixOfGroup } from '../../wanted-nodes'

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
  catalog: Catalog | null,
  { name, group, instance_id }: Pick<WantedMachine, 'name' | 'group' | 'instance_id'>,
): MachineNetwork {
  const there = cluster.deployed?.machines.find((one) => one.role === 'node' && one.name === name)
  if (there) return there.network ?? older
  const size = catalog?.sizes.find((one) => one.instance_id === instance_id)
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

/** Sizes that existing machines cannot be given, because of how they are connected. */
export function unfittingSizes(cluster: Placed, catalog: Catalog | null): Problem[] {
  const machines = new Map(cluster.deployed?.machines.map((one) => [one.name, one]))
  const head = cluster.deployed?.machines.find(({ role }) => role === 'head')
  const { instance_id: headSize } = cluster.data.server
  const isUnfit = (network: MachineNetwork | undefined, size: string) =>
    network?.accelerated === true && !acceleratesNetwork(size)
  const ofHead: Problem[] = isUnfit(head?.network, headSize)
    ? [
        [
          'data.server.instance_id',
          `The head node has accelerated networking, which ${headSize} does not support`,
        ],
      ]
    : []
  const ofNodes = everyNode(cluster).flatMap(({ name, group, instance_id: size, efa }): Problem[] => {
    const there = machines.get(name)
    if (!there || there.instance_id === size) return []
    const refuse = (reason: string): Problem[] => [
      [`data.node.group.${group}.instance_id`, `${reason}. Remove ${name} first.`],
    ]
    const { efaInterfaces = 1 } = there.network ?? {}
    const takes = catalog?.sizes.find((one) => one.instance_id === size)?.efaInterfaces ?? 1
    if (efa && efaInterfaces > takes)
      return refuse(`${name} has ${efaInterfaces} EFA adapters, but ${size} supports only ${takes}`)
    if (isUnfit(there.network, size))
      return refuse(`${name} has accelerated networking, which ${size} does not support`)
    // Machines of a set are all of one size.
    return cluster.provider === 'azure' && [there.instance_id, size].some(hasInfiniband)
      ? refuse('Existing nodes with InfiniBand keep their size')
      : []
  })
  return [...ofHead, ...ofNodes]
}
