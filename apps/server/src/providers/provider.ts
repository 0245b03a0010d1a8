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

/** Sizes, regions and prices as they were on a day, from a source that is named. */
export interface Catalog {
  source: string
  date: string
  regions: Region[]
  sizes: InstanceSize[]
  /** USD an hour on demand, by region and instance type. What is not in it has no price. */
  prices: Record<string, Record<string, number>>
  /** USD an hour of an attached accelerator, by region and type. */
  accelerators?: Record<string, Record<string, number>>
  /** USD an hour of an OCPU and of a GB, by flexible shape; they are the same in every region. */
  flexible?: Record<string, { ocpu: number; gb: number }>
  /** USD for a GB and month of disk, by region and disk type; left out where there is no source. */
  diskPrices?: Record<string, Record<string, number>>
  /** AWS: USD an hour of fast snapshot restore by region, for each snapshot and zone. */
  fastRestorePrices?: Record<string, number>
}

/** What a region's prices have beside machines. */
export interface OtherPrices {
  /** USD for a GB and month by disk type. */
  disks: Record<string, number>
  /** AWS: USD an hour of fast restore, for each snapshot and zone. */
  fastRestore: number | null
}

/** An image of a cloud's marketplace. */
export interface MarketplaceImage {
  publisher: string
  offer: string
  sku: string
  /** Or `latest`. */
  version: string
}
/** What an image of a marketplace is bought by, if for nothing. */
export interface ImagePlan {
  name: string
  product: string
  publisher: string
}
export interface ImageTerms {
  plan: ImagePlan
  /** Null where this key may not see it. */
  accepted: boolean | null
  /** Where they can be read. */
  link: string
}

/** A machine that is to exist. */
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

/** How a machine is connected. It keeps this for life: no cloud changes it on a machine that exists. */
export interface MachineNetwork {
  /** Nodes of the same place are started close together. Empty for the head node, and for nodes older than places. */
  place: string
  /** Adapters of a node with EFA. */
  efaInterfaces: number
  /** Azure: its network card has accelerated networking. */
  accelerated: boolean
}
export interface WantedNode extends WantedMachine {
  network: MachineNetwork
}

/** All that a module's variables are made from. */
export interface Deployment {
  id: string
  name: string
  description: string
  /** Before the names of everything made: lower case, unique to the cluster. */
  prefix: string
  /** The cluster is found again by these: they are on everything that can have tags. */
  tags: Record<string, string>
  osType: string
  /** An image of our own or of the marketplace; null takes the provider's public image of the os type. */
  image: string | null
  /** That of the head node. */
  headImage: string | null
  /** The marketplace plan of what `image` and `headImage` were built from. */
  imagePlan: ImagePlan | null
  /** The plans that the cloud reported for images of its marketplace, by `urnOf`; those of others are guessed. */
  imagePlans?: Record<string, ImagePlan | null>
  data: CloudData
  headName: string
  headNetwork: MachineNetwork
  /** The nodes that are up, and no others. */
  nodes: WantedNode[]
  /** Where new nodes of each group are placed, by its index. */
  places: string[]
  sshPublicKey: string
  /** Cloud-init of the head and of each node, by name. They hold secrets, so they go in by the environment. */
  headUserData: string
  nodeUserData: Record<string, string>
}

/** Where a size does not say what a machine has: its cores, and its memory in GB. */
interface ReportedHardware {
  cores?: number
  memory?: number
}

/** What every module says after it was applied, whatever the cloud. */
export interface ModuleOutputs {
  /** `networks`: the ranges of the subnets that its machines are in. */
  head: { id: string; private_ip: string; public_ip: string; networks: string[] } & ReportedHardware
  nodes: Record<string, { id: string; private_ip: string } & ReportedHardware>
  /** By the disk's name; `size` in GB, `hints` where the head node may find it: a device, or serial:<number>. */
  disks: Record<string, { id: string; size: number; hints: string[] }>
}

/** Something of ours in the cloud, found by its tag. */
export type FoundResource = CloudResource & {
  /** The cluster that its tag names. */
  clusterId: string | null
  /** `global` for what is in no region. */
  region: string
  /** What a price list goes by: the size of a machine, the type of a disk. */
  machine?: Pick<WantedMachine, 'instance_id' | 'ocpus' | 'mem'>
  diskType?: string
}

export interface WhoAmI {
  /** Whom the cloud takes us for, in its own words. */
  account: string
  /** The missing rights among those that were checked, each with what it is needed for. */
  missing: string[]
  /** Also missing, but not needed to deploy; each ends with what cannot be done then: ', to check quotas'. */
  optional?: string[]
  checked: string[]
}

/** What is done through the cloud's own interface and not through the engine. */
export interface Driver {
  whoAmI(): Promise<WhoAmI>
  /** By the cloud's ids. Each returns when the cloud says that it is done. */
  stop(machines: string[], signal: AbortSignal): Promise<void>
  start(machines: string[], signal: AbortSignal): Promise<void>
  /**
   * Everything with our tag in the driver's region or in none, of one cluster or of all; but nothing that only exists
   * as a part of something else in the list and goes with it, as the disk that a machine started from. What holds on
   * to others of its kind comes before them.
   */
  find(clusterId: string | null): Promise<FoundResource[]>
  /** What the cloud itself calls a zone, where that differs between accounts. */
  zoneName?(zone: string): Promise<string>
  /** Deletes what was found. Not there anymore counts as deleted. */
  remove(resource: FoundResource, signal: AbortSignal): Promise<void>
  /** Current sizes and prices, where the cloud provides them. No prices at all: this key cannot read them. */
  sizes?(): Promise<{
    sizes: InstanceSize[]
    prices: Record<string, number>
    beside?: OtherPrices
    source: string
  }>
  /** AWS: a zone that offers all of these sizes, where none is chosen; empty if that cannot be asked. */
  zoneFor?(sizes: string[]): Promise<string>
  /** Azure: the plan of a marketplace image and its terms; null for one without. */
  imageTerms?(image: MarketplaceImage): Promise<ImageTerms | null>
  /** Azure: accepts them for the subscription, which someone has agreed to. */
  acceptTerms?(plan: ImagePlan): Promise<void>
  /** What the account may still create of such machines; `zone` where the cloud counts by zone. */
  quotas?(machines: CountedMachine[], zone: string): Promise<Quotas>
  choices?: AccountLists
  /** AWS: fast restore of the snapshots behind an image, in the zones named. */
  fastRestore?: {
    set(image: string, zones: string[], enabled: boolean): Promise<void>
    state(image: string): Promise<{ zone: string; state: string }[]>
  }
}

export interface DriverOptions {
  credential: CredentialData
  region: string
  /** Instead of the cloud's own address, for tests. */
  endpoint?: string
  /** How long to wait before looking again, for tests. */
  pollMs?: number
}

/** The parts of a provider that the engine needs. */
export interface Infrastructure {
  /** The fixed module, in OpenTofu's JSON syntax. Nothing that a user typed is in it. */
  module: Record<string, unknown>
  /** What users chose, for the module's variables. */
  variables(deployment: Deployment): Record<string, unknown>
  /** The images of the cloud's marketplace that machines start from. */
  marketplaceImages?(deployment: Deployment): MarketplaceImage[]
  /** The type of what disks are in, where there is such a thing: it stays when one of them does. */
  holdsDisks?: string
  /** How the engine logs in: the environment of its process. */
  environment(credential: CredentialData): Record<string, string>
}

/** What the console knows of a provider without asking it. */
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

/** Everything that is particular to one cloud: a folder each, listed in registry.ts. */
export interface CloudProvider extends ProviderFacts {
  /** Read when it is first used. Null where the cloud has no list of sizes. */
  catalog(): Promise<Catalog | null>
  infrastructure(): Promise<Infrastructure>
  driver(options: DriverOptions): Promise<Driver>
  /** How images are built there. Null where nothing is built. */
  imageBuilder(): Promise<ImageBuilder | null>
}
