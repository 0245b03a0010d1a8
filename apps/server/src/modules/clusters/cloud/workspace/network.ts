import { acceleratesNetwork, hasInfiniband } from '../../../../providers/azure/images'
import type { Catalog, MachineNetwork, WantedMachine } from '../../../../providers/provider'
import type { Problem } from '@flotilla/contract/clusters/impossible/values'
import type { CloudCluster } from '../../stored-cluster'
import { everyNode, prefixOfGroup } from '../../wanted-nodes'

type Placed = Pick<CloudCluster, 'provider' | 'data' | 'info' | 'deployed'>

/** The network of a machine that was created before this was recorded. */
const older: MachineNetwork = { place: '', efaInterfaces: 1, accelerated: false }

/** Named after the prefix of the group's nodes, so that a group keeps its place when others are added or removed. */
function placeOfGroup(cluster: Placed, index: number): string {
  const groups = cluster.data.node.group.slice(0, index + 1)
  const prefixes = groups.map((group) => prefixOfGroup(cluster, group))
  const prefix = prefixes.at(-1)
  return `${prefix}-${prefixes.filter((one) => one === prefix).length}`
}

/**
 * Where the nodes of each group are placed. A cluster of an older version gets no such places until it is changed: its
 * plan would otherwise show changes that no one made.
 */
export function placesOf(cluster: Placed): string[] {
  const head = cluster.deployed?.machines.find(({ role }) => role === 'head')
  const isOlder = head !== undefined && head.network === undefined
  return cluster.data.node.group.map((_group, index) => (isOlder ? '' : placeOfGroup(cluster, index)))
}

/** How a node is connected: as it was created, or as it will be. */
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

/** How the head node is connected. */
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
    // All machines of an availability set have the same size.
    return cluster.provider === 'azure' && [there.instance_id, size].some(hasInfiniband)
      ? refuse('Existing nodes with InfiniBand keep their size')
      : []
  })
  return [...ofHead, ...ofNodes]
}
