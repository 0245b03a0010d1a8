import * as z from 'zod/mini'
import { LdapCollaborators } from '../ldap-entry'
import { Id } from '../lists'

const managers = ['torque', 'slurm', 'none'] as const
export const Manager = z.enum(managers)
export type Manager = z.infer<typeof Manager>
export const managerNames: Record<Manager, string> = {
  torque: 'Torque',
  slurm: 'Slurm',
  none: 'Built-in executor',
}

/** What is installed on nodes with NVIDIA GPUs, unless their image has it. */
const gpuSoftware = ['driver', 'cuda', 'none'] as const
export const GpuSoftware = z.enum(gpuSoftware)
export type GpuSoftware = z.infer<typeof GpuSoftware>
export const gpuSoftwareNames: Record<GpuSoftware, string> = {
  driver: 'NVIDIA driver',
  cuda: 'NVIDIA driver and CUDA',
  none: 'None',
}

export const text = (max: number) =>
  z.string().check(z.trim(), z.maxLength(max, `Max character length is ${max}`))
export const ClusterName = text(64).check(
  z.minLength(2, 'Min character length is 2'),
  z.regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u, 'Use letters, numbers, spaces, dots, dashes and underscores'),
)
const Host = text(253).check(
  z.regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$|^[0-9a-fA-F:]+$/, 'Enter a hostname or IP address'),
)
export const Account = text(32).check(z.regex(/^[a-z_][a-z0-9_-]*\$?$/, 'Enter a Unix account name'))
const count = (max: number) => z.number().check(z.int(), z.minimum(0), z.maximum(max))
const atLeastOne = (max: number) => z.number().check(z.int(), z.minimum(1), z.maximum(max))

/** The nodes of the built-in executor: shares of the machine it runs on. */
export const VirtualNodes = z.object({
  prefix: z._default(
    text(20).check(z.regex(/^[a-z][a-z0-9-]*$/, 'Use lowercase letters, numbers and dashes')),
    'node',
  ),
  count: z._default(atLeastOne(64), 1),
  cores: z._default(atLeastOne(1024), 1),
  gpus: z._default(count(16), 0),
})

const PLACES_MAX = 10
/** A folder of the cluster that is not in anyone's home, such as /scratch. */
const Place = text(200).check(
  z.regex(/^(\/[^/\p{C}]+)+$/u, 'Enter an absolute path such as /scratch'),
  z.refine(
    (path) => !path.split('/').some((part) => part === '.' || part === '..'),
    'Enter the path without "." and ".."',
  ),
)
/** What the File Manager offers on a cluster beside the home. */
export const Places = z.array(Place).check(
  z.maxLength(PLACES_MAX, `At most ${PLACES_MAX} folders`),
  z.refine((all) => new Set(all).size === all.length, 'Enter each folder only once'),
)

/** Why a field of programs and their configuration is not for everyone. */
export const PATHS_BY_ADMIN =
  'Only admins can set this, because it decides which programs run under everyone’s account'
export const PRIVATE_HEAD_NODE =
  'Only admins can use head nodes at private addresses. Ask an admin to save this cluster, or to allow private addresses in Settings > Security.'

/** How an attached head node is reached. The password or key goes in and never comes out. */
export const HeadNode = z.object({
  host: Host,
  port: z._default(atLeastOne(65_535), 22),
  username: Account,
  /** Whose key logs in as `username`: the cluster's own, which the admin of the head node installs, or one that is given. */
  key: z._default(z.enum(['cluster', 'given']), 'cluster'),
  privateKey: z.optional(z.string().check(z.maxLength(20_000))),
  /** How other people reach their own accounts there: by their own key, or by sudo from `username`. */
  accounts: z._default(z.enum(['key', 'sudo']), 'key'),
  /** The base of paths of executables, such as /opt/slurm/bin, when they are not on the PATH. */
  binFolder: z._default(text(200), ''),
})

/** A cluster of machines that exist already: this one, or a head node reached by SSH. */
export const LocalClusterInput = z.object({
  name: ClusterName,
  description: z._default(text(1000), ''),
  collaborators: z._default(z.array(z.string()), []),
  /** People and groups of directories. Without it, they stay as they are. */
  ldapCollaborators: z.optional(LdapCollaborators),
  /** Everyone but workshop participants may use it; only an admin chooses that. */
  forEveryone: z._default(z.boolean(), false),
  data: z.object({
    manager: z._default(Manager, 'torque'),
    transport: z.enum(['local', 'ssh']),
    head: z.optional(HeadNode),
    virtualNodes: z.optional(VirtualNodes),
    partition: z._default(text(64), ''),
    /** Where slurm.conf is, when it is not in its usual place. */
    slurmConf: z._default(text(200), ''),
  }),
})
export const LocalClusterUpdate = z.extend(LocalClusterInput, { id: Id })

/**
 * A region is a part of the name of the host that is called: a dot or a slash in it would lead somewhere else. By its shape
 * and not by a list, as clouds open new ones.
 */
export const regionError = (region: string): string | null =>
  /^([a-z0-9]+(-[a-z0-9]+)*)?$/i.test(region) ? null : 'Enter a region such as eu-west-1'
