import * as z from 'zod/mini'
import { Acceptance } from './acceptance'
import { CloudData, CloudInfo, Machine } from './cloud'
import { HeadNode, Manager, VirtualNodes } from './inputs'
import { ClusterState } from './states'
import { LdapCollaborator } from '../ldap-entry'
import { ProviderId } from '../site/config'
import { Id, Time } from '../lists'
import { Price } from '../clouds/providers'

export const QueueCounts = z.object({
  blocked: z.number(),
  completed: z.number(),
  queued: z.number(),
  running: z.number(),
  total: z.number(),
})
export const NodeCounts = z.object({
  available: z.number(),
  busy: z.number(),
  down: z.number(),
  offline: z.number(),
  total: z.number(),
  unknown: z.number(),
})
/** When the data was last polled, and why it could not be polled since. */
const Freshness = z.object({
  polledAt: z.nullable(Time),
  error: z.nullable(z.string()),
  errorSince: z.nullable(Time),
})

/** What is in progress on a cluster. */
const Run = z.object({ action: z.string(), beganAt: Time, actor: z.nullable(z.string()) })

const State = z.object({
  state: ClusterState,
  since: Time,
  /** When the cluster became available, regardless of later plans and changes; only for an available cluster. */
  availableSince: z.optional(Time),
  /** Why it failed, or why the last change of an available cluster did. */
  cause: z.nullable(z.string()),
  /** The action that failed. */
  failedAction: z.optional(z.string()),
})
const common = {
  id: Id,
  name: z.string(),
  description: z.string(),
  credential_id: z.nullable(Id),
  owner: z.string(),
  /** Whether the caller may change it. */
  mine: z.boolean(),
  collaborators: z.array(z.string()),
  /** People and groups of directories that it is also shared with. */
  ldapCollaborators: z.array(LdapCollaborator),
  forEveryone: z.boolean(),
  run: z.nullable(Run),
  queue: QueueCounts,
  nodes: NodeCounts,
  /** The largest node: the maximum that a job can request per node. */
  largestNode: z.object({ cores: z.number(), gpus: z.number() }),
  freshness: Freshness,
  /** Why the console cannot see all users' jobs here, and how to change that; null if it can. */
  hiddenJobs: z.nullable(z.string()),
  /** Why the caller cannot submit jobs here, or null. */
  submitBlockedReason: z.nullable(z.string()),
  /** Why the caller has no account here for terminals and files, or null. */
  accountBlockedReason: z.nullable(z.string()),
  /** What it costs now. Null if nothing can cost anything: it is not deployed, or no nodes were seen yet. */
  price: z.nullable(Price),
  /** Folders in addition to the home that the File Manager offers, as absolute paths. */
  places: z.array(z.string()),
  createdAt: Time,
}

/** A cluster of existing machines. */
export const LocalCluster = z.object({
  ...common,
  provider: z.literal('local'),
  info: State,
  /** Null if no acceptance is needed: the caller's own cluster, an admin's, or this machine. */
  acceptance: z.nullable(Acceptance),
  data: z.object({
    manager: Manager,
    transport: z.enum(['local', 'ssh']),
    head: z.nullable(z.omit(HeadNode, { privateKey: true })),
    virtualNodes: z.nullable(VirtualNodes),
    partition: z.string(),
    slurmConf: z.string(),
    /** Whether `binFolder` and `slurmConf` are in use: an admin has saved them, or there are none. */
    pathsConfirmed: z.boolean(),
    /** The public key that the head node's admin adds to authorized_keys. */
    publicKey: z.nullable(z.string()),
    /** Fingerprint of the head node's host key; no other key is accepted. Null until the first connection. */
    hostKey: z.nullable(z.string()),
  }),
})
export type LocalCluster = z.infer<typeof LocalCluster>

/** A cluster that is created in a cloud. */
export const CloudCluster = z.object({
  ...common,
  provider: ProviderId,
  stack_id: z.nullable(Id),
  info: z.extend(CloudInfo, State.shape),
  /** The settings without secrets: an activation key is returned empty. */
  data: CloudData,
  /** The names of all its nodes, running or not. */
  nodeNames: z.array(z.string()),
  /** The machines that exist. */
  machines: z.array(Machine),
  /** Whether its machines are simulated. */
  simulated: z.boolean(),
  /** Whether it was edited since the last deployment and the changes have not been applied yet. */
  edited: z.boolean(),
  /**
   * The number of differences from the deployed state: changes that the last plan found, and missing machines. Apply
   * reverts them.
   */
  drift: z.number(),
  /** Whether there is a plan to show. */
  hasPlan: z.boolean(),
  /** Why nodes are not started automatically right now, or null. */
  burstPaused: z.nullable(z.string()),
  /** Disks that were kept when the cluster was destroyed and still cost money. */
  keptDisks: z.number(),
  /** AWS: fast restore of the image's snapshots, by zone. */
  fastRestore: z.array(z.object({ zone: z.string(), state: z.string() })),
})
export type CloudCluster = z.infer<typeof CloudCluster>

export const Cluster = z.discriminatedUnion('provider', [LocalCluster, CloudCluster])
export type Cluster = z.infer<typeof Cluster>

export const LogLevel = z.enum(['info', 'warning', 'error'])
export type LogLevel = z.infer<typeof LogLevel>
export const LogLine = z.object({ seq: z.number(), time: Time, level: LogLevel, text: z.string() })
export const logTypes = [
  'plan',
  'deploy',
  'change',
  'stop',
  'start',
  'destroy',
  'burst',
  'connection',
] as const
export const LogType = z.enum(logTypes)

export const ClusterActivity = z.object({
  time: Time,
  actor: z.nullable(z.string()),
  action: z.string(),
  detail: z.string(),
})
export const LoadAverage = z.object({ cluster_id: Id, cpus: z.number(), loadAvg: z.number(), time: Time })
/** Fingerprints of the trusted host key, and of the key that the head node presents now. */
export const HostKeys = z.object({ known: z.nullable(z.string()), shown: z.string() })
export const DiagnosisStep = z.object({
  step: z.string(),
  ok: z.boolean(),
  /** It works, but something should be changed. */
  warning: z.optional(z.boolean()),
  message: z.string(),
  /** The public key that the message asks someone to install. */
  publicKey: z.optional(z.string()),
  ms: z.number(),
})

/** Also for stored clusters and for objects with only some of a cluster's fields. */
export const isInCloud = <C extends { provider: string }>(
  cluster: C,
): cluster is Exclude<C, { provider: 'local' }> => cluster.provider !== 'local'
