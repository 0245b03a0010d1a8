import type { Price } from '@flotilla/contract/clouds/providers'
import { localPriceOf, type LocalPrices } from '../../providers/price'
import { isInCloud, type CloudCluster, type StoredCluster } from './stored-cluster'

/** What clusters cost now. The admin's prices are looked up once for all clusters. */
export async function pricesOf(
  clusters: StoredCluster[],
  inCloud: (cluster: CloudCluster) => Promise<Price | null>,
  localPrices: () => Promise<LocalPrices>,
): Promise<(Price | null)[]> {
  const hasNodes = ({ node_totals: { cores, gpus } }: StoredCluster) => cores + gpus > 0
  const local = clusters.some((one) => !isInCloud(one) && hasNodes(one)) ? await localPrices() : null
  return Promise.all(
    clusters.map(async (cluster) => {
      if (isInCloud(cluster)) return inCloud(cluster)
      return local && hasNodes(cluster) ? localPriceOf(cluster.node_totals, local) : null
    }),
  )
}
