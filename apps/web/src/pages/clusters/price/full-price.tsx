import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { costOf, valuesOf } from '../cloud-form/values/cloud-values'
import { usePrice } from '../cloud-form/price/use-price'
import { priceLine } from '../../../ui/text/price-text'

/** A cluster's maximum price, shown before actions that increase its cost. */
export function FullPrice({ cluster }: { cluster: CloudCluster }) {
  const price = usePrice(costOf(valuesOf(cluster)))
  return price.data ? (
    <p className="text-body text-ink-2">With all nodes running, it costs {priceLine(price.data)}.</p>
  ) : null
}
