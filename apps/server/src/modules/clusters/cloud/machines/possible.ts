import { priceOfMachine } from '../../../../providers/price'
import type { PossibleNode } from '../../burst/decide'
import type { NodeInfo } from '../../../../schedulers/scheduler'
import type { FoundCluster } from '../../store'
import { capacityOf } from '../workspace/deployment'
import { dataOf, deployedOf, everyNode } from '../../wanted-nodes'
import { providerOf, type Surroundings } from '../workspace/deps'

/** Every node that the groups may have, with what it has and what it costs. */
export async function possibleNodes(
  around: Pick<Surroundings, 'catalogue'>,
  cluster: FoundCluster,
): Promise<PossibleNode[]> {
  const { network, node } = dataOf(cluster)
  const catalogue = await around.catalogue(providerOf(cluster), network.region_id)
  return everyNode(cluster).map((wanted) => {
    const { cores, gpus } = capacityOf(catalogue, wanted, node.accelerator_count)
    const { name, group } = wanted
    return { name, group, cores, gpus, perHour: priceOfMachine(catalogue, network.region_id, wanted) }
  })
}

/** Torque takes a node whose machine does not exist for one that is down. */
export function withNotStarted(cluster: FoundCluster, nodes: NodeInfo[]): NodeInfo[] {
  const deployed = cluster.provider === 'local' ? null : deployedOf(cluster)
  if (!deployed || deployed.simulated || dataOf(cluster).manager !== 'torque') return nodes
  const up = new Set(deployed.machines.map(({ name }) => name))
  const mayBe = new Set(everyNode(cluster).map(({ name }) => name))
  return nodes.map((node) =>
    !up.has(node.name) && mayBe.has(node.name) ? { ...node, state: 'offline', note: 'not started' } : node,
  )
}
