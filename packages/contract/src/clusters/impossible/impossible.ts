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
import { malformedIn, problemsIn, type Problem } from './values'

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
 * Every setting, by field, that is known to be impossible without querying the cloud. Such a cluster can be saved,
 * because the specification's entity has fields that no single cloud supports, but neither planned nor deployed.
 * `image` is the image of the cluster's stack.
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
    ...problemsIn(rules.refusals, cluster),
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
  // The first problem of a field is the most specific.
  return [...new Map(found.toReversed()).entries()].toReversed()
}
