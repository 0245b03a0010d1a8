import type { CloudData, CloudResource } from '@flotilla/contract/clusters/cloud'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { AccountLists } from './account-lists'
import type { CredentialData } from './fields/credential-data'
import type { ImageBuilder } from './image/image'
import type { CountedMachine, Quotas } from './quota/quota'
import type {
  Accelerator,
  Authentication,
  DiskType,
  Field,
  InstanceSize,
  OsType,
  Refusal,
  SizeOption,
  Provider,
  Region,
} from '@flotilla/contract/clouds/providers'

/** Sizes, regions and prices on a certain date, with their source. */
export interface Catalog {
  source: string
  date: string
  regions: Region[]
  sizes: InstanceSize[]
  /** On-demand USD per hour by region and instance type. Missing entries have no known price. */
  prices: Record<string, Record<string, number>>
  /** USD per hour of an attached accelerator, by region and type. */
  accelerators?: Record<string, Record<string, number>>
  /** USD per hour of an OCPU and of a GB, by flexible shape; they are the same in every region. */
  flexible?: Record<string, { ocpu: number; gb: number }>
  /** USD per GB-month of disk, by region and disk type; omitted if there is no source. */
  diskPrices?: Record<string, Record<string, number>>
  /** AWS: USD per hour of fast snapshot restore by region, per snapshot and zone. */
  fastRestorePrices?: Record<string, number>
}

/** The prices of a region other than those of machines. */
export interface OtherPrices {
  /** USD per GB-month by disk type. */
  disks: Record<string, number>
  /** AWS: USD per hour of fast restore, per snapshot and zone. */
  fastRestore: number | null
}

/** An image of a cloud's marketplace. */
export interface MarketplaceImage {
  publisher: string
  offer: string
  sku: string
  /** A version or `latest`. */
  version: string
}
/** The plan under which a marketplace image is purchased, even if it is free. */
export interface ImagePlan {
  name: string
  product: string
  publisher: string
}
export interface ImageTerms {
  plan: ImagePlan
  /** Null if the credential may not read this. */
  accepted: boolean | null
  /** The address of the terms. */
  link: string
}

/** A machine that should exist. */
export interface WantedMachine {
  name: string
  group: number
  instance_id: string
  ocpus: number
  mem: number
  efa: boolean
  compact: boolean
  tier1: boolean
  rdma: boolean
  spot: boolean
  gpu_partition_mode: string
}

/** A machine's network settings. They are fixed when it is created, because no cloud can change them later. */
export interface MachineNetwork {
  /**
   * Nodes of the same placement are started close together. Empty for the head node, and for nodes created before
   * placements existed.
   */
  place: string
  /** The number of adapters of a node with EFA. */
  efaInterfaces: number
  /** Azure: whether its network interface has accelerated networking. */
  accelerated: boolean
}
export interface WantedNode extends WantedMachine {
  network: MachineNetwork
}

/** The input for a module's variables. */
export interface Deployment {
  id: string
  name: string
  description: string
  /** Prefix of all resource names: lowercase, unique to the cluster. */
  prefix: string
  /** The tags by which the cluster's resources are found, on everything that supports tags. */
  tags: Record<string, string>
  osType: string
  /** An image of our own or of the marketplace; null means the provider's public image of the os type. */
  image: string | null
  /** The head node's image. */
  headImage: string | null
  /** The marketplace plan of the source of `image` and `headImage`. */
  imagePlan: ImagePlan | null
  /** The plans that the cloud reported for marketplace images, by `urnOf`; those of other images are guessed. */
  imagePlans?: Record<string, ImagePlan | null>
  data: CloudData
  headName: string
  headNetwork: MachineNetwork
  /** Only the nodes that should exist now. */
  nodes: WantedNode[]
  /** The placement of new nodes, by the index of their group. */
  places: string[]
  sshPublicKey: string
  /**
   * The cloud-init user data of the head node and, by name, of each node. It contains secrets, so it is passed in the
   * environment.
   */
  headUserData: string
  nodeUserData: Record<string, string>
}

/** The hardware of a machine whose size does not determine it: cores, and memory in GB. */
interface ReportedHardware {
  cores?: number
  memory?: number
}

/** The outputs of every cloud's module. */
export interface ModuleOutputs {
  /** `networks` has the ranges of its machines' subnets. */
  head: { id: string; private_ip: string; public_ip: string; networks: string[] } & ReportedHardware
  nodes: Record<string, { id: string; private_ip: string } & ReportedHardware>
  /** By disk name; `size` is in GB, `hints` say where the head node may find the disk: a device, or serial:<number>. */
  disks: Record<string, { id: string; size: number; hints: string[] }>
}

/** A cloud resource with our tag. */
export type FoundResource = CloudResource & {
  /** The cluster that its tag names. */
  clusterId: string | null
  /** `global` for resources that are in no region. */
  region: string
  /** What price lists refer to: the size of a machine, the type of a disk. */
  machine?: Pick<WantedMachine, 'instance_id' | 'ocpus' | 'mem'>
  diskType?: string
}

export interface WhoAmI {
  /** The cloud's own description of the credential's identity. */
  account: string
  /** The missing permissions among those that were checked, each with what it is needed for. */
  missing: string[]
  /**
   * Missing permissions that are not needed to deploy; each ends with what does not work without it: ', to check
   * quotas'.
   */
  optional?: string[]
  checked: string[]
}

/** Operations through the cloud's API instead of the engine. */
export interface Driver {
  whoAmI(): Promise<WhoAmI>
  /** Machines are given by the cloud's ids. Each call returns when the cloud reports completion. */
  stop(machines: string[], signal: AbortSignal): Promise<void>
  start(machines: string[], signal: AbortSignal): Promise<void>
  /**
   * Finds everything with our tag in the driver's region or in none, of one cluster or of all; except resources that
   * are only a part of another one in the list and are deleted with it, such as a machine's boot disk. Resources come
   * before others of their kind that they depend on.
   */
  find(clusterId: string | null): Promise<FoundResource[]>
  /** The cloud's full name of a zone, on clouds where it differs between accounts. */
  zoneName?(zone: string): Promise<string>
  /** Deletes a resource. One that no longer exists counts as deleted. */
  remove(resource: FoundResource, signal: AbortSignal): Promise<void>
  /** Current sizes and prices, on clouds that provide them. There are no prices if the credential cannot read them. */
  sizes?(): Promise<{
    sizes: InstanceSize[]
    prices: Record<string, number>
    beside?: OtherPrices
    source: string
  }>
  /** AWS: a zone that offers all of these sizes, if none is chosen; empty if that cannot be determined. */
  zoneFor?(sizes: string[]): Promise<string>
  /** Azure: the plan of a marketplace image and its terms; null if it has none. */
  imageTerms?(image: MarketplaceImage): Promise<ImageTerms | null>
  /** Azure: accepts the terms for the subscription, after a user has agreed to them. */
  acceptTerms?(plan: ImagePlan): Promise<void>
  /** What the account may still create of such machines; `zone` is for clouds that count by zone. */
  quotas?(machines: CountedMachine[], zone: string): Promise<Quotas>
  choices?: AccountLists
  /** AWS: fast restore of an image's snapshots in the given zones. */
  fastRestore?: {
    set(image: string, zones: string[], enabled: boolean): Promise<void>
    state(image: string): Promise<{ zone: string; state: string }[]>
  }
}

export interface DriverOptions {
  credential: CredentialData
  region: string
  /** For tests: replaces the cloud's own address. */
  endpoint?: string
  /** For tests: the polling interval. */
  pollMs?: number
}

/** The parts of a provider that the engine uses. */
export interface Infrastructure {
  /** The fixed module, in OpenTofu's JSON syntax. It contains no user input. */
  module: Record<string, unknown>
  /** The module's variables, which contain what users chose. */
  variables(deployment: Deployment): Record<string, unknown>
  /** The marketplace images that machines start from. */
  marketplaceImages?(deployment: Deployment): MarketplaceImage[]
  /** The resource type that contains the disks, if any: it is kept as long as one of them is. */
  holdsDisks?: string
  /** How the engine logs in: the environment of its process. */
  environment(credential: CredentialData): Record<string, string>
}

/** What the console knows about a provider without querying it. */
export interface ProviderFacts {
  id: ProviderId
  name: string
  authentications: Authentication[]
  clusterFields: Field[]
  groupFields: Field[]
  stackFields: Field[]
  refusals: Refusal[]
  osTypes: OsType[]
  diskTypes: DiskType[]
  rootDiskMin: number
  diskId: Provider['diskId']
  fileSystems: Provider['fileSystems']
  accelerators: Accelerator[]
  sizeOptions: SizeOption[]
  headSubnet: Provider['headSubnet']
}

/** Everything specific to one cloud: each has a folder, and is listed in registry.ts. */
export interface CloudProvider extends ProviderFacts {
  /** Loaded on first use. Null if the cloud has no list of sizes. */
  catalog(): Promise<Catalog | null>
  infrastructure(): Promise<Infrastructure>
  driver(options: DriverOptions): Promise<Driver>
  /** How images are built. Null if the cloud does not support building images. */
  imageBuilder(): Promise<ImageBuilder | null>
}
