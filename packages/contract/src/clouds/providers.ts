import * as z from 'zod/mini'
import { MOUNT_TYPES } from '../limits'
import { ProviderId } from '../site/config'
import { get, post } from '../endpoint'

/** The format of a value: a case-insensitive regular expression, and an example for the message. */
const Format = z.object({ pattern: z.string(), example: z.string() })

/** A field of a credential. Its value is written and never read back. */
export const Authentication = z.object({
  id: z.string(),
  label: z.string(),
  type: z.enum(['text', 'password']),
  icon: z.string(),
  required: z.boolean(),
  /** Entered in a text area, because the key has line breaks. */
  multiline: z.optional(z.boolean()),
  /** Determines where the secrets are sent: if it changes, they must be entered again. */
  address: z.optional(z.boolean()),
  help: z.optional(z.string()),
})
export type Authentication = z.infer<typeof Authentication>

export const Region = z.object({
  name: z.string(),
  region_id: z.string(),
  zones: z.optional(z.array(z.object({ name: z.string(), zone_id: z.string() }))),
})
export type Region = z.infer<typeof Region>

export const InstanceSize = z.object({
  name: z.string(),
  instance_id: z.string(),
  cores: z.number().check(z.positive()),
  gpus: z.optional(z.number().check(z.minimum(0))),
  /** GiB. */
  memory: z.optional(z.number()),
  gpuModel: z.optional(z.string()),
  arch: z.optional(z.enum(['x86_64', 'arm64'])),
  efa: z.optional(z.boolean()),
  /** The number of EFA adapters if more than one: one per network card. */
  efaInterfaces: z.optional(z.number()),
  /**
   * An OCI shape with configurable cores and memory: `ocpus` and `mem` apply, and `cores` and `memory` are those of one
   * OCPU.
   */
  flexible: z.optional(z.boolean()),
  /** The maximum of a flexible shape. */
  maxOcpus: z.optional(z.number()),
  maxMemory: z.optional(z.number()),
})
export type InstanceSize = z.infer<typeof InstanceSize>

/** DATA_DIR/assets/providers.json: replaces regions and sizes of the providers it names. */
export const ProvidersOverride = z.partialRecord(
  ProviderId,
  z.object({
    regions: z.optional(z.array(Region)),
    instanceSizes: z.optional(z.array(InstanceSize)),
  }),
)
export type ProvidersOverride = z.infer<typeof ProvidersOverride>

/** The steps of the cluster form, in order. */
export const formSteps = ['basics', 'head', 'nodes', 'network', 'software', 'advanced'] as const

/**
 * How the web app renders a field of a cluster or stack, independent of the provider. `path` locates its value in the
 * entity, as in `data.network.vpc_id`; for a node group's field it is relative to the group, as in `instance_id`.
 */
export const Field = z.object({
  path: z.string(),
  label: z.string(),
  help: z.optional(z.string()),
  step: z.enum(formSteps),
  /** The values of `size`, `region`, `zone`, `osType` and `image` come from the provider's own lists. */
  kind: z.enum([
    'text',
    'textarea',
    'password',
    'number',
    'switch',
    'choice',
    'tags',
    'ranges',
    'size',
    'region',
    'zone',
    'osType',
    'image',
  ]),
  required: z.optional(z.boolean()),
  choices: z.optional(z.array(z.object({ value: z.string(), label: z.string() }))),
  /** Shown after the number: GB, seconds. */
  unit: z.optional(z.string()),
  min: z.optional(z.number()),
  max: z.optional(z.number()),
  /** For a number: the label of a choice that stands for 0, and the number that applies if it is not chosen. */
  zero: z.optional(z.object({ label: z.string(), otherwise: z.number() })),
  /** For a `size`: the only ones that may be chosen; if omitted, all of the provider's. */
  sizes: z.optional(z.array(z.string())),
  /** Another path for the value while this one is empty. */
  or: z.optional(z.string()),
  placeholder: z.optional(z.string()),
  /** Whether the account's resources are offered as choices; other values can still be typed. */
  fromAccount: z.optional(z.boolean()),
  /** The path of another field: only choices that belong to its value are offered, such as the subnets of a VPC. */
  within: z.optional(z.string()),
  format: z.optional(Format),
  /**
   * Shown only while the field at `path` has one of these values (as text); for `flexible` sizes, `path` is `flexible`.
   */
  when: z.optional(z.object({ path: z.string(), is: z.array(z.string()) })),
  /** Collapsed by default. */
  advanced: z.optional(z.boolean()),
})
export type Field = z.infer<typeof Field>

/** A field that this provider cannot use, with the reason: it can be saved, but Plan and Deploy reject it. */
export const Refusal = z.object({ path: z.string(), reason: z.string() })
export type Refusal = z.infer<typeof Refusal>

export const OsType = z.object({
  id: z.string(),
  name: z.string(),
  /** The date since which a system no longer receives updates. */
  endOfLife: z.optional(z.string()),
  /** Why this provider cannot use it. */
  unavailable: z.optional(z.string()),
  /** The processors for which this provider has a public image; if omitted, all. */
  arch: z.optional(z.array(z.enum(['x86_64', 'arm64']))),
  /** The GB that its public image needs, if more than the provider's other images. */
  disk: z.optional(z.number()),
})
export type OsType = z.infer<typeof OsType>

export const DiskType = z.object({
  id: z.string(),
  label: z.string(),
  /** GB. */
  min: z.number(),
  max: z.number(),
  /** The maximum as a system disk, if lower; 0 if it cannot be one. */
  maxRoot: z.optional(z.number()),
  /** The sizes that support it, as a regular expression; if omitted, all. */
  sizes: z.optional(z.string()),
})
export type DiskType = z.infer<typeof DiskType>

/** GPUs that are attached to a machine in addition to those of its size. */
export const Accelerator = z.object({
  id: z.string(),
  label: z.string(),
  /** The sizes that support it: a regular expression and a description. */
  sizes: z.string(),
  where: z.string(),
  /** How many can be attached, and the maximum cores of a machine with that many. */
  counts: z.array(z.object({ count: z.number(), maxCores: z.number() })),
})
export type Accelerator = z.infer<typeof Accelerator>

/** A switch of node groups that only some sizes support. */
export const SizeOption = z.object({
  /** Relative to the group. */
  path: z.string(),
  /** The sizes that support it, as regular expressions, each with the minimum cores. */
  sizes: z.array(z.object({ pattern: z.string(), minCores: z.number() })),
  /** Why other sizes do not support it, and what to choose. */
  otherwise: z.string(),
  /** Other sizes support it with a limitation: the form warns instead of rejecting. */
  warnsOnly: z.optional(z.boolean()),
})
export type SizeOption = z.infer<typeof SizeOption>

/** The part of a created network that the head node is in, and how many addresses at its ends the cloud reserves. */
const HeadSubnet = z.object({ bits: z.number(), first: z.number(), last: z.number() })

const Source = z.object({ source: z.string(), date: z.string() })

/** A shared file system that a cloud offers, with an example of a mount source. */
const FileSystem = z.object({ name: z.string(), type: z.enum(MOUNT_TYPES), example: z.string() })

export const Provider = z.object({
  id: ProviderId,
  name: z.string(),
  authentications: z.array(Authentication),
  regions: z.array(Region),
  instanceSizes: z.array(InstanceSize),
  /** The source and date of sizes and prices. Null if there is no catalog. */
  catalog: z.nullable(Source),
  clusterFields: z.array(Field),
  groupFields: z.array(Field),
  stackFields: z.array(Field),
  refusals: z.array(Refusal),
  osTypes: z.array(OsType),
  /**
   * In order of preference: if none is chosen, the first one that a machine supports is used. Empty if there is no
   * choice of disks.
   */
  diskTypes: z.array(DiskType),
  /** The GB that a public image needs. */
  rootDiskMin: z.number(),
  /** The format of an existing disk's id. Null if none can be attached. */
  diskId: z.nullable(Format),
  /** The cloud's own file systems that machines can mount. */
  fileSystems: z.array(FileSystem),
  accelerators: z.array(Accelerator),
  sizeOptions: z.array(SizeOption),
  /** Null if no network is created. */
  headSubnet: z.nullable(HeadSubnet),
  /**
   * Whether an admin has configured a package repository for Torque; without one, only a stack's image can contain it.
   */
  torqueSource: z.boolean(),
  /** The systems that the repository is for. */
  torquePackages: z.nullable(z.enum(['deb', 'rpm'])),
  /** The defaults of a new cluster: see the cluster settings. */
  desktopDefaults: z.object({ vncTokenAuthentication: z.boolean(), vncRemoteClient: z.boolean() }),
  /** The console's own public addresses, as far as known: the default of a new cluster's allowed ranges. */
  consoleRanges: z.array(z.string()),
  /** Whether the cloud is simulated. */
  simulated: z.boolean(),
})
export type Provider = z.infer<typeof Provider>

/** Shown with everything that the simulated cloud creates. */
export const NOT_BILLED = 'estimate, not billed'

/** The price per hour; null means that the price is unknown, never that it is free. */
export const Price = z.object({
  perHour: z.nullable(z.number()),
  /** 730 hours. */
  perMonth: z.nullable(z.number()),
  currency: z.literal('USD'),
  parts: z.array(z.object({ what: z.string(), count: z.number(), perHour: z.nullable(z.number()) })),
  /** What has no known price and is not included in the total. */
  unpriced: z.array(z.string()),
  ...Source.shape,
  /** `NOT_BILLED` where the cloud is simulated. */
  note: z.nullable(z.string()),
})
export type Price = z.infer<typeof Price>

/** The reply of a sync; a failure is an error like any other. */
export const Synced = z.object({ success: z.literal(true), message: z.string() })

/** Whether the provider's current sizes can be fetched with a credential. */
export const isSynced = (provider: string): boolean => ['aws', 'azure', 'oracle'].includes(provider)

export const providers = {
  list: get('/api/providers', {
    summary: 'List the providers available to you, with their regions, sizes and fields',
    access: 'loggedIn',
    reply: z.array(Provider),
  }),
  sizesHash: get('/api/instance-sizes-hash', {
    summary: 'Cores and GPUs by instance type',
    access: 'loggedIn',
    reply: z.record(z.string(), z.object({ cores: z.number(), gpus: z.number() })),
  }),
  prices: get('/api/providers/:provider/prices', {
    summary:
      'On-demand price per hour of each instance type in a region, in USD. Types without a known price are left out',
    access: 'member',
    query: z.object({ region: z.string().check(z.maxLength(64)) }),
    reply: z.object({
      ...Source.shape,
      prices: z.record(z.string(), z.number()),
      /** AWS: the price per hour of fast snapshot restore, per snapshot and zone. */
      fastRestore: z.nullable(z.number()),
    }),
  }),
  sync: post('/api/shapes/sync', {
    summary: 'Fetch the current sizes of a region from AWS, Azure or Oracle Cloud, and prices from AWS',
    access: 'admin',
    // The specification gives the messages for missing values, so neither is required here.
    body: z.object({
      credentialId: z.optional(z.string().check(z.maxLength(64))),
      region: z.optional(z.string().check(z.maxLength(64))),
    }),
    reply: Synced,
    adminScope: true,
  }),
  osTypes: get('/api/clusters/osTypes/:provider', {
    summary: 'List the operating systems available for clusters of a provider',
    access: 'loggedIn',
    reply: z.array(OsType),
  }),
}
