import { priceOfMachine } from '../../../providers/price'
import type { PossibleNode } from '../../burst/decide'
import type { FoundCluster } from '../store'
import { capacityOf } from './deployment'
import { dataOf, everyNode } from './stored'
import { providerOf, type Surroundings } from './surroundings'

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
