import * as z from 'zod/mini'
import { MOUNT_TYPES } from '../limits'
import { ProviderId } from '../site/config'
import { get, post } from '../endpoint'

/** What a value looks like: a regular expression without regard to case, and an example for the message. */
const Format = z.object({ pattern: z.string(), example: z.string() })

/** A field of a credential. The values are written and never read back. */
export const Authentication = z.object({
  id: z.string(),
  label: z.string(),
  type: z.enum(['text', 'password']),
  icon: z.string(),
  required: z.boolean(),
  /** A key with line breaks is pasted into a text area. */
  multiline: z.optional(z.boolean()),
  /** It determines where the secrets are sent: if it changes, they must be entered again. */
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
  /** How many EFA adapters it takes if more than one: one per network card. */
  efaInterfaces: z.optional(z.number()),
  /** An OCI shape whose cores and memory are chosen: `ocpus` and `mem` count then, and `cores` and `memory` are those of one OCPU. */
  flexible: z.optional(z.boolean()),
  /** The most that a flexible shape takes. */
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

/** The steps of the form that makes a cluster, in their order. */
export const formSteps = ['basics', 'head', 'nodes', 'network', 'software', 'advanced'] as const

/**
 * How the web app renders a field of a cluster or stack, independent of the provider. `path` is where its value is in
 * the entity, as in `data.network.vpc_id`; for a field of a node group it begins at the group: `instance_id`.
 */
export const Field = z.object({
  path: z.string(),
  label: z.string(),
  help: z.optional(z.string()),
  step: z.enum(formSteps),
  /** `size`, `region`, `zone`, `osType` and `image` are chosen from the provider's own lists. */
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
  /** Shown behind the number: GB, seconds. */
  unit: z.optional(z.string()),
  min: z.optional(z.number()),
  max: z.optional(z.number()),
  /** Of a number: what 0 stands for, as a choice of its own, and the number if it is not chosen. */
  zero: z.optional(z.object({ label: z.string(), otherwise: z.number() })),
  /** Of a `size`: only these may be chosen; left out, all that the provider has. */
  sizes: z.optional(z.array(z.string())),
  /** Another path that the value may be at while this one is empty. */
  or: z.optional(z.string()),
  placeholder: z.optional(z.string()),
  /** Offered from what the account has, besides typing. */
  fromAccount: z.optional(z.boolean()),
  /** Only what is in the one that this other path names is offered: the subnets of a VPC. */
  within: z.optional(z.string()),
  format: z.optional(Format),
  /** Shown only while the field at `path` has one of these values (as text); `flexible` sizes: path `flexible`. */
  when: z.optional(z.object({ path: z.string(), is: z.array(z.string()) })),
  /** Collapsed by default. */
  advanced: z.optional(z.boolean()),
})
export type Field = z.infer<typeof Field>

/** A field of the entities that this provider cannot use, with the reason: it is saved, and refused at Plan and Deploy. */
export const Refusal = z.object({ path: z.string(), reason: z.string() })
export type Refusal = z.infer<typeof Refusal>

export const OsType = z.object({
  id: z.string(),
  name: z.string(),
  /** For systems that no longer receive updates: since when. */
  endOfLife: z.optional(z.string()),
  /** Set where this provider cannot use it. */
  unavailable: z.optional(z.string()),
  /** The processors that this provider has a public image for; left out, all. */
  arch: z.optional(z.array(z.enum(['x86_64', 'arm64']))),
  /** GB that its public image needs, where that is more than what the provider's others need. */
  disk: z.optional(z.number()),
})
export type OsType = z.infer<typeof OsType>

export const DiskType = z.object({
  id: z.string(),
  label: z.string(),
  /** GB. */
  min: z.number(),
  max: z.number(),
  /** As a system disk, where that is less; 0 if it cannot be one. */
  maxRoot: z.optional(z.number()),
  /** The sizes that take it, as a regular expression; left out, all. */
  sizes: z.optional(z.string()),
})
export type DiskType = z.infer<typeof DiskType>

/** GPUs that are attached to a machine beside those of its size. */
export const Accelerator = z.object({
  id: z.string(),
  label: z.string(),
  /** The sizes that take it, as a regular expression, and in words. */
  sizes: z.string(),
  where: z.string(),
  /** How many can be attached, and how many cores a machine can have then. */
  counts: z.array(z.object({ count: z.number(), maxCores: z.number() })),
})
export type Accelerator = z.infer<typeof Accelerator>

/** A switch of node groups that only some sizes can have. */
export const SizeOption = z.object({
  /** As seen from the group. */
  path: z.string(),
  /** These sizes, as regular expressions, each with the cores that it takes at least. */
  sizes: z.array(z.object({ pattern: z.string(), minCores: z.number() })),
  /** Why others cannot, and what to choose. */
  otherwise: z.string(),
  /** Other sizes may have it with a limitation: the form warns instead of refusing. */
  warnsOnly: z.optional(z.boolean()),
})
export type SizeOption = z.infer<typeof SizeOption>

/** The part of a created network that the head node is in, and how many addresses at its ends the cloud keeps. */
const HeadSubnet = z.object({ bits: z.number(), first: z.number(), last: z.number() })

const Source = z.object({ source: z.string(), date: z.string() })

/** A shared file system that a cloud offers, with an example of a mount's source. */
const FileSystem = z.object({ name: z.string(), type: z.enum(MOUNT_TYPES), example: z.string() })

export const Provider = z.object({
  id: ProviderId,
  name: z.string(),
  authentications: z.array(Authentication),
  regions: z.array(Region),
  instanceSizes: z.array(InstanceSize),
  /** The source and date of sizes and prices. Null where there is no catalog. */
  catalog: z.nullable(Source),
  clusterFields: z.array(Field),
  groupFields: z.array(Field),
  stackFields: z.array(Field),
  refusals: z.array(Refusal),
  osTypes: z.array(OsType),
  /** In order: the first that a machine takes is used where none is chosen. Empty: it has no disks to choose. */
  diskTypes: z.array(DiskType),
  /** GB that a public image needs. */
  rootDiskMin: z.number(),
  /** What an existing disk is called. Null where none is attached. */
  diskId: z.nullable(Format),
  /** The cloud's own, as machines mount them. */
  fileSystems: z.array(FileSystem),
  accelerators: z.array(Accelerator),
  sizeOptions: z.array(SizeOption),
  /** Null where no network is made. */
  headSubnet: z.nullable(HeadSubnet),
  /**
   * Whether an admin has configured a package repository for Torque; without one, only a stack's image can contain
   * it.
   */
  torqueSource: z.boolean(),
  /** Which systems that repository is for. */
  torquePackages: z.nullable(z.enum(['deb', 'rpm'])),
  /** What a new cluster has where it does not say: see the cluster settings. */
  desktopDefaults: z.object({ vncTokenAuthentication: z.boolean(), vncRemoteClient: z.boolean() }),
  /** The console's own public addresses, as far as known: the default for a new cluster's allowed ranges. */
  consoleRanges: z.array(z.string()),
  /** The simulated cloud stands in for it. */
  simulated: z.boolean(),
})
export type Provider = z.infer<typeof Provider>

/** Said of everything that the simulated cloud stands in for. */
export const NOT_BILLED = 'estimate, not billed'

/** The price per hour; null means that there is no price, never that it is free. */
export const Price = z.object({
  perHour: z.nullable(z.number()),
  /** 730 hours. */
  perMonth: z.nullable(z.number()),
  currency: z.literal('USD'),
  parts: z.array(z.object({ what: z.string(), count: z.number(), perHour: z.nullable(z.number()) })),
  /** What has no price and is not included in the total. */
  unpriced: z.array(z.string()),
  ...Source.shape,
  /** `NOT_BILLED` where the cloud is simulated. */
  note: z.nullable(z.string()),
})
export type Price = z.infer<typeof Price>

/** What a sync answers; a failure is an error like any other. */
export const Synced = z.object({ success: z.literal(true), message: z.string() })

/** Those whose current sizes can be fetched with a credential. */
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
      /** Of AWS: an hour of fast snapshot restore, for each snapshot in each zone. */
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
