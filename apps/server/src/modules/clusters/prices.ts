import * as z from 'zod/mini'
import type { Price } from '@flotilla/contract/clouds/providers'
import { localPriceOf, type LocalPrices } from '../../providers/price'
import type { FoundCluster } from './store'

const Totals = z.object({ cores: z.number(), gpus: z.number() })

/** What clusters cost now. The admin's prices are looked up once, however many clusters there are. */
export async function pricesOf(
  clusters: FoundCluster[],
  inCloud: (cluster: FoundCluster) => Promise<Price | null>,
  localPrices: () => Promise<LocalPrices>,
): Promise<(Price | null)[]> {
  const has = clusters.map(({ provider, node_totals }) =>
    provider === 'local' ? Totals.parse(node_totals) : null,
  )
  const anyNodes = has.some((one) => one !== null && one.cores + one.gpus > 0)
  const local = anyNodes ? await localPrices() : null
  return Promise.all(
    clusters.map(async (cluster, index) => {
      const nodes = has[index]
      if (!nodes) return inCloud(cluster)
      return local && nodes.cores + nodes.gpus > 0 ? localPriceOf(nodes, local) : null
    }),
  )
}
