import * as z from 'zod/mini'
import { LdapCollaborators } from '../ldap-entry'
import { ClusterName, GpuSoftware, Manager, text, regionError } from './inputs'
import { SourceRanges } from './ranges'
import { ProviderId } from '../site/config'
import {
  BURST_MODE,
  GPU_PARTITION_MODES,
  IDLE_PURGE_S,
  MOUNT_TYPES,
  NODE_COUNT,
  OS_TYPE,
  TAGS_MAX,
} from '../limits'
import { Id, Time } from '../lists'
import { Price } from '../clouds/providers'
import { QuotaRow } from './quota'
import { ImageTerms } from './terms'

const optional = (max: number) => z._default(text(max), '')
const number = (max: number, value = 0) =>
  z._default(z.number().check(z.int(), z.minimum(0), z.maximum(max)), value)
const on = (value = false) => z._default(z.boolean(), value)
/** A prefix of machine names, limited to what DNS, Slurm and every cloud accept. */
const prefix = (value: string) =>
  z._default(
    text(20).check(
      z.regex(/^([a-z][a-z0-9-]*)?$/, 'Use lowercase letters, numbers and dashes, starting with a letter'),
    ),
    value,
  )

export const PackageName = text(128).check(z.regex(/^[A-Za-z0-9][\w.+:~-]*$/, 'Enter a package name'))

export const BurstMode = z.enum(['off', 'min', 'max', 'always'])
export type BurstMode = z.infer<typeof BurstMode>
/** Whether nodes are started only when jobs need them. */
export const burstsAsNeeded = (mode: BurstMode): boolean => mode === 'min' || mode === 'max'

export const NodeGroup = z.object({
  count: number(1000, NODE_COUNT),
  instance_id: optional(128),
  /** Only for flexible shapes; 0 means the shape's own value. */
  ocpus: number(1024),
  mem: number(16_384),
  /** Nodes are named `<prefix>1` and so on; if empty, the cluster's node_prefix and the group's number apply. */
  group_node_prefix: prefix(''),
  group_node_prefix_label: optional(64),
  efa: on(),
  /** GCP: compact placement. */
  compact: on(),
  /** GCP: Tier_1 networking, which has more bandwidth at a higher price. */
  tier1: on(),
  /** Oracle: nodes are in one RDMA network. */
  rdma: on(),
  /** Cheaper machines that the cloud may reclaim at any time. */
  spot: on(),
  /** How the GPUs of BM.GPU4.8 are partitioned. */
  gpu_partition_mode: z._default(z.enum(GPU_PARTITION_MODES), GPU_PARTITION_MODES[0]),
})
export type NodeGroup = z.infer<typeof NodeGroup>

export const Disk = z
  .object({
    name: text(32).check(z.regex(/^[a-z][a-z0-9-]*$/, 'Use lowercase letters, numbers and dashes')),
    /** In GB; 0 for an existing disk, which has its own size. */
    size: number(65_536),
    type: optional(64),
    /** The cloud's id of an existing disk: it is attached with its data, and never deleted. */
    id: optional(512).check(z.regex(/^[\w./:-]*$/, 'Enter the ID of a disk')),
  })
  .check(
    z.refine(({ id, size }) => id !== '' || size > 0, {
      path: ['size'],
      message: 'Enter a size, or the ID of an existing disk',
    }),
  )
export type Disk = z.infer<typeof Disk>

export const MOUNTS_MAX = 10
/** The system's own folders. /home and /opt/shared are mounted from the head node. */
const TAKEN =
  /^\/(bin|boot|dev|etc|home|lib\w*|proc|root|run|sbin|srv\/flotilla|sys|tmp|usr|var|opt\/shared)(\/|$)/
/** A network file system: EFS, FSx for Lustre, Azure Files and NetApp Files, Filestore, OCI File Storage. */
export const Mount = z.object({
  type: z._default(z.enum(MOUNT_TYPES), 'nfs'),
  /** In the format of `mount`: server:/export, or for Lustre server@tcp:/name. */
  source: text(512).check(
    z.regex(/^[\w.@:,-]+:\/[\w./-]*$/, 'Enter a server and a path, such as fs.example.org:/export'),
  ),
  path: text(128).check(
    z.regex(/^(\/[\w][\w.-]*)+$/, 'Enter a path such as /data'),
    z.refine((path) => !TAKEN.test(path), 'This folder is used by the system'),
  ),
  options: optional(256).check(z.regex(/^[\w.=,:-]*$/, 'Enter mount options separated by commas')),
})
export type Mount = z.infer<typeof Mount>

const Info = z.object({
  bursting: z.prefault(
    z.object({
      /** Whether the nodes start with the cluster, or only when jobs wait for them. */
      burstOnDeploy: on(),
      mode: z._default(BurstMode, BURST_MODE),
    }),
    {},
  ),
  'os-type': z._default(text(32), OS_TYPE),
  /** Prefix of the names of all cloud resources and of the head node. */
  prefix: prefix(''),
  node_prefix: prefix('node'),
  vncTokenAuthentication: on(),
  vncRemoteClient: on(),
})

/** Fields that a new cluster omits follow the site's settings. */
const NewInfo = z.extend(Info, {
  vncTokenAuthentication: z.optional(z.boolean()),
  vncRemoteClient: z.optional(z.boolean()),
})

/** The provider's ids of existing resources; those that are empty are created. */
const Network = z.object({
  eip_id: optional(256),
  fip_address: optional(64),
  firewall_id: optional(256),
  network_id: optional(256),
  region_id: optional(64),
  security_group_id: optional(256),
  subnet_id: optional(512),
  vpc_id: optional(512),
  zone_id: optional(64),
  zone_name: optional(64),
  availability_domain: optional(128),
  vswitch_id: optional(256),
  vcn_id: optional(256),
  private_static_ip: optional(64),
  /** The ranges from which the head node accepts SSH and OpenVPN, unless the user supplies a firewall. */
  allowed_ranges: SourceRanges,
})

export const CloudData = z.object({
  manager: z._default(Manager, 'torque'),
  share: z._default(z.enum(['nfs', 'none']), 'nfs'),
  service_account: optional(256),
  ec2_role: optional(256),
  packages: z._default(z.array(PackageName).check(z.maxLength(200)), []),
  gpu_software: z._default(GpuSoftware, 'driver'),
  provision: z.prefault(z.object({ script: z._default(z.string().check(z.maxLength(64_000)), '') }), {}),
  rhel_activation_key: optional(256),
  rhel_organization_id: optional(64),
  marketplace_image_reference: z.prefault(
    z.object({
      offer: optional(128),
      sku: optional(128),
      marketplace_image_version: optional(64),
      publisher: optional(128),
    }),
    {},
  ),
  image_resource_group_name: optional(128),
  resource_group_id: optional(512),
  LPG: optional(256),
  vcn_cidr: optional(64),
  local_cidr: optional(64),
  moab: z.prefault(z.object({ ip: optional(64), hostname: optional(253) }), {}),
  network: z.prefault(Network, {}),
  node: z.prefault(
    z.object({
      group: z._default(z.array(NodeGroup).check(z.maxLength(20)), []),
      volume_size: number(65_536),
      disk_type: optional(64),
      accelerator_type: optional(64),
      accelerator_count: number(64),
      /** Idle seconds after which a node is removed; 0 keeps it. */
      idle_purge_s: number(604_800, IDLE_PURGE_S),
    }),
    {},
  ),
  server: z.prefault(
    z.object({
      instance_id: optional(128),
      disk_type: optional(64),
      isPrivate: on(),
      openvpn: on(),
      volume_size: number(65_536),
      ocpus: number(1024),
      mem: number(16_384),
      accelerator_type: optional(64),
      accelerator_count: number(64),
      image_name: optional(512),
    }),
    {},
  ),
  /** Additional disks of the head node. */
  disks: z._default(z.array(Disk).check(z.maxLength(20)), []),
  /** Existing file systems that are mounted on all machines. */
  mounts: z._default(z.array(Mount).check(z.maxLength(MOUNTS_MAX)), []),
  /** Added to every cloud resource of the cluster. */
  tags: z._default(
    z.record(
      text(63).check(
        z.minLength(1),
        z.regex(/^[a-z][a-z0-9_-]*$/, 'Use lowercase letters, numbers, dashes and underscores'),
      ),
      text(63).check(z.regex(/^[\w .:/=+@-]*$/, 'Use letters, numbers and . : / = + - @')),
    ),
    {},
  ),
})
export type CloudData = z.infer<typeof CloudData>

/** Rules for newly saved data; data saved earlier stays readable. */
const NewCloudData = CloudData.check(
  z.superRefine(({ tags, network }, context) => {
    const region = regionError(network.region_id)
    if (region) context.addIssue({ code: 'custom', path: ['network', 'region_id'], message: region })
    if (Object.keys(tags).length > TAGS_MAX)
      context.addIssue({ code: 'custom', path: ['tags'], message: `At most ${TAGS_MAX} tags` })
  }),
)

/** A cluster created in a cloud. */
export const CloudClusterInput = z.object({
  name: ClusterName,
  description: z._default(text(1000), ''),
  provider: ProviderId,
  credential_id: Id,
  /** The image that its machines start from; null means the public image of the os type. */
  stack_id: z._default(z.nullable(Id), null),
  collaborators: z._default(z.array(z.string()), []),
  /** People and groups of directories. If omitted, they do not change. */
  ldapCollaborators: z.optional(LdapCollaborators),
  forEveryone: z._default(z.boolean(), false),
  info: z.prefault(NewInfo, {}),
  data: z.prefault(NewCloudData, {}),
})
export type CloudClusterInput = z.infer<typeof CloudClusterInput>
export const CloudClusterUpdate = z.extend(CloudClusterInput, { id: Id })
export const CloudInfo = Info

/** Shown when an edit affects no existing machine. */
export const ONLY_NEW_MACHINES =
  'No existing machine changes. Machines created from now on use the edited settings, such as another operating system.'

/** One line of a plan, as shown to users. */
export const PlannedChange = z.object({
  action: z.enum(['add', 'change', 'replace', 'destroy']),
  /** The engine's address: aws_instance.node["node1"]. */
  address: z.string(),
  type: z.string(),
  /** The name shown to users: 'node node1', 'disk data'. */
  what: z.string(),
  /** Whether data on it is lost. */
  dataLoss: z.boolean(),
  /** The attributes that change, without secret values. */
  detail: z.string(),
})
export type PlannedChange = z.infer<typeof PlannedChange>
export const Plan = z.object({
  madeAt: Time,
  changes: z.array(PlannedChange),
  counts: z.object({ add: z.number(), change: z.number(), replace: z.number(), destroy: z.number() }),
  /** What the cluster costs after the plan is applied. */
  price: Price,
  /** How the plan compares with what the account may still create; plans of older versions have none. */
  quota: z._default(z.array(QuotaRow), []),
  /** Terms that have to be accepted before the cluster can be deployed. */
  terms: z._default(z.array(ImageTerms), []),
  /** Whether the cluster was edited since: Deploy then makes a new plan. */
  stale: z.boolean(),
})
export type Plan = z.infer<typeof Plan>

/** A machine of a deployed cluster. */
export const Machine = z.object({
  name: z.string(),
  role: z.enum(['head', 'node']),
  group: z.nullable(z.number()),
  instance_id: z.string(),
  cores: z.number(),
  gpus: z.number(),
  privateIp: z.nullable(z.string()),
  publicIp: z.nullable(z.string()),
  /** When it was found to be missing: removed manually, or reclaimed by the cloud. */
  vanishedAt: z.optional(Time),
})
export type Machine = z.infer<typeof Machine>

/** A resource that exists in the cloud. */
export const CloudResource = z.object({
  /** The cloud's own id. */
  id: z.string(),
  type: z.string(),
  name: z.string(),
  kind: z.enum(['machine', 'volume', 'network', 'address', 'image', 'other']),
  sizeGb: z.nullable(z.number()),
  perHour: z.nullable(z.number()),
})
export type CloudResource = z.infer<typeof CloudResource>
