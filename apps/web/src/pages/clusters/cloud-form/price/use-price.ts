import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import type { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import { useApiQuery } from '../../../../api/query'

const nothing = { name: 'Price', provider: 'aws', credential_id: 'none' } as const

/**
 * The price of a cluster with all nodes running. The previous price is kept while a new one is fetched; null clears
 * it.
 */
export function usePrice(cluster: CloudClusterInput | null) {
  const price = useApiQuery(
    lifecycle.price,
    { body: cluster ?? nothing },
    { enabled: cluster !== null, keepPrevious: true },
  )
  return { ...price, data: cluster ? price.data : undefined }
}
