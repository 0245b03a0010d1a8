import type { CloudClusterInput } from '../cloud'
import type { Provider } from '../../clouds/providers'
import { impossibleDisks, impossibleMounts } from './disks'
import {
  impossibleAccelerators,
  impossibleEfa,
  impossibleImages,
  impossibleMemory,
  impossibleOptions,
  incompleteMarketplaceImage,
  type Image,
} from './machines'
import { impossibleAddress, impossibleRanges, impossibleZones, firewallWithoutNetwork } from './network'
import { malformedIn, refusedIn, type Problem } from './values'

export type Rules = Pick<
  Provider,
  | 'name'
  | 'clusterFields'
  | 'groupFields'
  | 'refusals'
  | 'osTypes'
  | 'instanceSizes'
  | 'regions'
  | 'diskTypes'
  | 'rootDiskMin'
  | 'diskId'
  | 'accelerators'
  | 'sizeOptions'
  | 'headSubnet'
>

/**
 * All that can be known to be impossible without asking the cloud, by field. Such a cluster can be saved, as the
 * specification's entity holds more than any one cloud can do, but neither planned nor deployed. `image` is that of the
 * cluster's stack.
 */
export function impossibleIn(
  rules: Rules,
  cluster: Pick<CloudClusterInput, 'info' | 'data'>,
  image: Image | null,
): Problem[] {
  const { data } = cluster
  const groups = data.node.group.flatMap((_group, at) =>
    malformedIn(rules.groupFields, cluster, `data.node.group.${at}.`),
  )
  const found = [
    ...refusedIn(rules.refusals, cluster),
    ...malformedIn(rules.clusterFields, cluster),
    ...groups,
    ...impossibleZones(rules.clusterFields, rules.regions, cluster),
    ...impossibleImages(rules, cluster, image),
    ...incompleteMarketplaceImage(rules, cluster),
    ...impossibleMemory(rules, cluster),
    ...impossibleEfa(rules, cluster),
    ...impossibleOptions(rules, cluster),
    ...impossibleAccelerators(rules, cluster),
    ...impossibleDisks(rules, cluster, image),
    ...impossibleMounts(cluster.data),
    ...firewallWithoutNetwork(rules.clusterFields, data),
    ...impossibleAddress(rules, data),
    ...(data.vcn_cidr || data.local_cidr || data.LPG ? impossibleRanges(data) : []),
  ]
  // The first of a field says the most.
  return [...new Map(found.toReversed()).entries()].toReversed()
}
