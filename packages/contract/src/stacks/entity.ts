import * as z from 'zod/mini'
import { Account, ClusterName, GpuSoftware, Manager, text, regionError } from '../clusters/inputs'
import { ProviderId } from '../site/config'
import { OS_TYPE, STACK_FILES_MAX, STACK_MANAGER, STACK_PREFIX } from '../limits'
import { Id, Time } from '../lists'
import { StackState } from './states'

const optional = (max: number) => z._default(text(max), '')
const number = (max: number) => z._default(z.number().check(z.int(), z.minimum(0), z.maximum(max)), 0)
const off = z._default(z.boolean(), false)
export const Usernames = z
  .array(z.string().check(z.trim(), z.toLowerCase(), z.maxLength(64)))
  .check(z.maxLength(500))

/** Settings of the image and of the machine that builds it; stackFields lists those that a provider uses. */
export const StackData = z.object({
  manager: z._default(Manager, STACK_MANAGER),
  /** The machine stays open for manual changes after the scripts, until finalize-build. */
  customize_image: off,
  disk_size: number(65_536),
  instance_id: optional(128),
  isPrivate: off,
  /** Installs only the resource manager and its dependencies. */
  minimal: off,
  image_gpu_software: z._default(GpuSoftware, 'none'),
  /** Prefix of the image's name. */
  prefix: z._default(
    text(20).check(
      z.regex(
        /^[a-z]([a-z0-9-]*[a-z0-9])?$/,
        'Use lowercase letters, numbers and dashes, starting with a letter',
      ),
    ),
    STACK_PREFIX,
  ),
  proxy: z._default(
    text(512).check(
      z.regex(/^$|^https?:\/\/[^\s"'`$\\]+$/, 'Enter a URL such as http://proxy.example.org:3128'),
    ),
    '',
  ),
  region_id: optional(64),
  resource_group_name: optional(90),
  security_group_id: optional(256),
  service_account: optional(256),
  source_image: optional(512),
  source_image_offer: optional(128),
  source_image_publisher: optional(128),
  source_image_sku: optional(128),
  source_os_type: z._default(text(32), OS_TYPE),
  source_resource_group_name: optional(90),
  ssh_username: z._default(z.union([z.literal(''), Account]), ''),
  subnet_id: optional(512),
  subnet_network_id: optional(512),
  /** The disk type of the machine that builds the image. */
  type: optional(64),
  volume_size: number(65_536),
  zone_id: optional(64),
  has_vnc: off,
  mem: number(16_384),
  ocpus: number(1024),
  vpc_id: optional(512),
})
export type StackData = z.infer<typeof StackData>

/** Rules for newly saved data; data saved earlier stays readable. */
const NewStackData = StackData.check(
  z.superRefine(({ region_id }, context) => {
    const message = regionError(region_id)
    if (message) context.addIssue({ code: 'custom', path: ['region_id'], message })
  }),
)

/** A file name that no operating system or tool interprets as anything else. */
const StackFileName = z.string().check(
  z.minLength(1),
  z.maxLength(128, 'Max character length is 128'),
  z.regex(
    /^[^/\\\p{Cc}.-][^/\\\p{Cc}]*$/u,
    'A file name cannot begin with a dot or a dash, or contain slashes',
  ),
  // Packer treats paths as templates.
  z.refine((name) => !name.includes('{{'), 'A file name cannot contain two opening braces in a row'),
)

/** The four fields for files of a stack. */
export const stackFileFields = ['nodeProvisioner', 'serverProvisioner', 'dataFiles', 'dataFilesB'] as const
export type StackFileField = (typeof stackFileFields)[number]

const Kept = z.object({ name: StackFileName })
const KeptFiles = z.array(Kept).check(z.maxLength(STACK_FILES_MAX))

/** Which existing files to keep; files in the request are added. If omitted, all are kept. */
const KeptProvision = z.object({
  nodeProvisioner: z._default(z.nullable(Kept), null),
  serverProvisioner: z._default(z.nullable(Kept), null),
  dataFiles: z._default(KeptFiles, []),
  dataFilesB: z._default(KeptFiles, []),
})

const Rhel = z.object({
  /** Write-only. If empty, the stored key is kept as long as there is an organization. */
  activation_key: optional(256),
  organization_id: optional(64),
})

export const StackInput = z.object({
  name: ClusterName,
  description: optional(1000),
  provider: ProviderId,
  /** The origin of the stack, such as `market`. */
  builder: optional(64),
  credential_id: Id,
  collaborators: z._default(Usernames, []),
  data: z.prefault(NewStackData, {}),
  provision: z.optional(KeptProvision),
  rhel: z.prefault(Rhel, {}),
})
export type StackInput = z.infer<typeof StackInput>
export const StackUpdate = z.extend(StackInput, { id: Id })

/** A file of a form, or its text in a plain JSON request. */
const Upload = z.union([
  z.object({
    name: StackFileName,
    bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'Send a file'),
  }),
  z.string().check(z.maxLength(500_000, 'The script is too long')),
])
export type Upload = z.infer<typeof Upload>
const Uploads = z.union([
  z.array(Upload).check(z.maxLength(STACK_FILES_MAX)),
  // A form field with a single file, or without any.
  z.pipe(
    Upload,
    z.transform((one) => [one]),
  ),
])
export const StackUploads = z.object({
  nodeProvisioner: z.optional(Upload),
  serverProvisioner: z.optional(Upload),
  dataFiles: z.optional(Uploads),
  dataFilesB: z.optional(Uploads),
})

const StackFile = z.object({ name: z.string(), size: z.number() })
export type StackFile = z.infer<typeof StackFile>

/** Head nodes have an image of their own if the stack has a server provisioner or data files for it. */
export const imageRoles = ['node', 'server'] as const
export type ImageRole = (typeof imageRoles)[number]

export const StackImage = z.object({
  role: z.enum(imageRoles),
  /** The cloud's own id or name of the image. */
  id: z.string(),
  region: z.string(),
  builtAt: Time,
})
export type StackImage = z.infer<typeof StackImage>

/** A machine that is open for manual changes. */
export const OpenMachine = z.object({ role: z.enum(imageRoles), host: z.string(), username: z.string() })
export type OpenMachine = z.infer<typeof OpenMachine>

export const Stack = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  provider: ProviderId,
  builder: z.string(),
  credential_id: Id,
  owner: z.string(),
  /** Whether the caller may change it. */
  mine: z.boolean(),
  collaborators: z.array(z.string()),
  data: StackData,
  provision: z.object({
    nodeProvisioner: z.nullable(StackFile),
    serverProvisioner: z.nullable(StackFile),
    dataFiles: z.array(StackFile),
    dataFilesB: z.array(StackFile),
  }),
  rhel: z.object({
    activation_key: z.literal(''),
    activationKeySet: z.boolean(),
    organization_id: z.string(),
  }),
  state: StackState,
  since: Time,
  cause: z.nullable(z.string()),
  /** Whether the last build failed only because someone canceled it. */
  canceled: z.boolean(),
  run: z.nullable(z.object({ beganAt: Time, actor: z.nullable(z.string()) })),
  /** The images that new clusters start from. */
  images: z.array(StackImage),
  /** Whether it was edited since its image was built. */
  edited: z.boolean(),
  /** In `customize`: where to log in, with the caller's own key, and until when the machines stay open. */
  open: z.nullable(z.object({ machines: z.array(OpenMachine), until: Time })),
  /** Whether its image is simulated, or would be if it were built now. */
  simulated: z.boolean(),
  /** How many clusters use it. */
  usedBy: z.number(),
  createdAt: Time,
  updatedAt: Time,
})
export type Stack = z.infer<typeof Stack>

export const stackLogTypes = ['build'] as const
