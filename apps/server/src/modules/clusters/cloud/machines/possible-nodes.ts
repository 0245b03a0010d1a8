import { gpuCount } from '../../../../cloud-init/gpus'
import { priceOfMachine } from '../../../../providers/price'
import type { CloudCluster } from '../../stored-cluster'
import { capacityOfNode } from '../workspace/deployment'
import { everyNode } from '../../wanted-nodes'
import type { CloudDeps } from '../workspace/deps'

/** A node that a group can have, whether it is up or not. */
export interface PossibleNode {
  name: string
  group: number
  cores: number
  gpus: number
  /** GB; 0 if unknown. */
  memory: number
  /** USD per hour; null if unknown. */
  perHour: number | null
}

/** Every node that the groups can have, with its hardware and price. */
export async function possibleNodes(
  { catalog: catalogOf }: Pick<CloudDeps, 'catalog'>,
  cluster: CloudCluster,
): Promise<PossibleNode[]> {
  const { network } = cluster.data
  const catalog = await catalogOf(cluster.provider, network.region_id)
  return everyNode(cluster).map((wanted) => {
    const { cores, memory, gpus } = capacityOfNode(cluster, catalog, wanted)
    const { name, group } = wanted
    return {
      name,
      group,
      cores,
      memory,
      gpus: gpuCount({ gpus, gpuPartitionMode: wanted.gpu_partition_mode }),
      perHour: priceOfMachine(catalog, network.region_id, wanted),
    }
  })
}
