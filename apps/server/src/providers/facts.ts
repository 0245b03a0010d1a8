import { providerNames, type ProviderId } from '@flotilla/contract/site/config'
import type {
  Accelerator,
  Authentication,
  DiskType,
  OsType,
  SizeOption,
} from '@flotilla/contract/clouds/providers'
import { clusterFields, type ClusterPath } from './fields/cluster-fields'
import { describe, type Differs } from './fields/describe'
import { groupFields, type GroupPath } from './fields/machine-fields'
import { osTypesOf, type OsTypeId } from './os-types'
import type { ProviderFacts } from './provider'
import { stackFields, type StackPath } from './fields/stack-fields'

interface Facts {
  id: ProviderId
  authentications: Authentication[]
  /**
   * Only what differs from the definitions; fields that only some providers have are included if they are listed here.
   */
  cluster: Differs<ClusterPath>
  group: Differs<GroupPath>
  stack: Differs<StackPath>
  /** Features besides the described fields that this provider does not support, by name, with the reason. */
  refuses?: Record<string, string>
  /** The systems without a public image, with the reason. */
  noImage: Partial<Record<OsTypeId, string>>
  /** Other properties of a system's public image. */
  images?: Partial<Record<OsTypeId, Pick<OsType, 'arch' | 'disk'>>>
  diskTypes?: DiskType[]
  rootDiskMin?: number
  diskId?: ProviderFacts['diskId']
  fileSystems?: ProviderFacts['fileSystems']
  accelerators?: Accelerator[]
  sizeOptions?: SizeOption[]
  headSubnet: ProviderFacts['headSubnet']
}

/** The prefix of a node group's field paths in a cluster. */
export const GROUP = 'data.node.group.'

/** The characteristics of a provider. */
export function makeFacts({
  id,
  authentications,
  cluster,
  group,
  stack,
  refuses = {},
  noImage,
  images = {},
  diskTypes = [],
  rootDiskMin = 0,
  diskId = null,
  fileSystems = [],
  accelerators = [],
  sizeOptions = [],
  headSubnet,
}: Facts): ProviderFacts {
  const ofCluster = describe(clusterFields, cluster)
  const ofGroup = describe(groupFields, group)
  const ofStack = describe(stackFields, stack)
  const refusals = [
    ...ofCluster.refusals,
    ...ofGroup.refusals.map(({ path, reason }) => ({ path: GROUP + path, reason })),
    ...ofStack.refusals,
    ...Object.entries(refuses).map(([path, reason]) => ({ path, reason })),
  ]
  return {
    id,
    name: providerNames[id],
    authentications,
    clusterFields: ofCluster.fields,
    groupFields: ofGroup.fields,
    stackFields: ofStack.fields,
    // Clusters and stacks share a few paths, which have the same reason in both.
    refusals: [...new Map(refusals.map((refusal) => [refusal.path, refusal])).values()],
    osTypes: osTypesOf(noImage, images),
    diskTypes,
    rootDiskMin,
    diskId,
    fileSystems,
    accelerators,
    sizeOptions,
    headSubnet,
  }
}
