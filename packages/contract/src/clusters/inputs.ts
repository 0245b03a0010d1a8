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

/** Installed on nodes with NVIDIA GPUs, unless their image includes it. */
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

/** The nodes of the built-in executor: partitions of the machine it runs on. */
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
/** A folder outside the homes, such as /scratch. */
const Place = text(200).check(
  z.regex(/^(\/[^/\p{C}]+)+$/u, 'Enter an absolute path such as /scratch'),
  z.refine(
    (path) => !path.split('/').some((part) => part === '.' || part === '..'),
    'Enter the path without "." and ".."',
  ),
)
/** The folders that the File Manager offers in addition to the home. */
export const Places = z.array(Place).check(
  z.maxLength(PLACES_MAX, `At most ${PLACES_MAX} folders`),
  z.refine((all) => new Set(all).size === all.length, 'Enter each folder only once'),
)

/** Why only admins can set the paths of programs and their configuration. */
export const PATHS_BY_ADMIN =
  'Only admins can set this, because it decides which programs run under everyone’s account'
export const PRIVATE_HEAD_NODE =
  'Only admins can use head nodes at private addresses. Ask an admin to save this cluster, or to allow private addresses in Settings > Security.'

/** How to connect to an attached head node. The password or key is write-only. */
export const HeadNode = z.object({
  host: Host,
  port: z._default(atLeastOne(65_535), 22),
  username: Account,
  /**
   * The key that logs in as `username`: the cluster's own, which the head node's admin installs, or one that the user
   * enters.
   */
  key: z._default(z.enum(['cluster', 'given']), 'cluster'),
  privateKey: z.optional(z.string().check(z.maxLength(20_000))),
  /** How other users access their own accounts there: with their own key, or through sudo from `username`. */
  accounts: z._default(z.enum(['key', 'sudo']), 'key'),
  /** The folder of the executables, such as /opt/slurm/bin, if they are not on the PATH. */
  binFolder: z._default(text(200), ''),
})

/** A cluster of existing machines: this one, or a head node over SSH. */
export const LocalClusterInput = z.object({
  name: ClusterName,
  description: z._default(text(1000), ''),
  collaborators: z._default(z.array(z.string()), []),
  /** People and groups of directories. If omitted, they do not change. */
  ldapCollaborators: z.optional(LdapCollaborators),
  /** Whether everyone except workshop participants may use it; only an admin can set this. */
  forEveryone: z._default(z.boolean(), false),
  data: z.object({
    manager: z._default(Manager, 'torque'),
    transport: z.enum(['local', 'ssh']),
    head: z.optional(HeadNode),
    virtualNodes: z.optional(VirtualNodes),
    partition: z._default(text(64), ''),
    /** The path of slurm.conf, if it is not the default. */
    slurmConf: z._default(text(200), ''),
  }),
})
export const LocalClusterUpdate = z.extend(LocalClusterInput, { id: Id })

/**
 * The region becomes part of a host name in a URL: a dot or a slash in it would send requests elsewhere. The check is
 * by pattern rather than by a list, because clouds open new regions.
 */
export const regionError = (region: string): string | null =>
  /^([a-z0-9]+(-[a-z0-9]+)*)?$/i.test(region) ? null : 'Enter a region such as eu-west-1'
