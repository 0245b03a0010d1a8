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
/** How fresh the shown data is, and why it is not fresher. */
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
  /** Of a running one: since when, whatever was planned or changed meanwhile. */
  availableSince: z.optional(Time),
  /** Why it failed, or what went wrong with the last change of a cluster that still runs. */
  cause: z.nullable(z.string()),
  /** Which action that was. */
  failedAction: z.optional(z.string()),
})
const common = {
  id: Id,
  name: z.string(),
  description: z.string(),
  credential_id: z.nullable(Id),
  owner: z.string(),
  /** Whether this person may change it. */
  mine: z.boolean(),
  collaborators: z.array(z.string()),
  /** People and groups of directories with whom it is shared as well. */
  ldapCollaborators: z.array(LdapCollaborator),
  forEveryone: z.boolean(),
  run: z.nullable(Run),
  queue: QueueCounts,
  nodes: NodeCounts,
  /** The largest node: the most that a job can request per node. */
  largestNode: z.object({ cores: z.number(), gpus: z.number() }),
  freshness: Freshness,
  /** Why the console does not see everyone's jobs here, and what would change that; null if it does. */
  hiddenJobs: z.nullable(z.string()),
  /** Why this person cannot submit here, or null. */
  submitBlockedReason: z.nullable(z.string()),
  /** Why this person has no account here for terminals and files, or null. */
  accountBlockedReason: z.nullable(z.string()),
  /** What it costs now. Null if nothing can cost anything: not deployed, or no nodes seen yet. */
  price: z.nullable(Price),
  /** Folders beside the home that the File Manager offers, as absolute paths. */
  places: z.array(z.string()),
  createdAt: Time,
}

/** A cluster of machines that exist already. */
export const LocalCluster = z.object({
  ...common,
  provider: z.literal('local'),
  info: State,
  /** Null where this person's account is used without asking: their own cluster, an admin's, or this machine. */
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
    /** What the admin of the head node puts into authorized_keys. */
    publicKey: z.nullable(z.string()),
    /** Fingerprint of the head node's host key; no other is accepted. Null until the first connection. */
    hostKey: z.nullable(z.string()),
  }),
})
export type LocalCluster = z.infer<typeof LocalCluster>

/** A cluster that is made in a cloud. */
export const CloudCluster = z.object({
  ...common,
  provider: ProviderId,
  stack_id: z.nullable(Id),
  info: z.extend(CloudInfo, State.shape),
  /** The settings without secrets: an activation key is returned empty. */
  data: CloudData,
  /** Its nodes by name, whether they are up or not. */
  nodeNames: z.array(z.string()),
  /** What is up. */
  machines: z.array(Machine),
  /** Its machines are the simulated cloud's. */
  simulated: z.boolean(),
  /** Whether it was edited since it was deployed, until the changes are applied. */
  edited: z.boolean(),
  /** How many differences from the deployed state there are: changes that the last plan found, and vanished machines. Apply undoes them. */
  drift: z.number(),
  /** Whether there is a plan to show. */
  hasPlan: z.boolean(),
  /** Why no nodes are started automatically right now. */
  burstPaused: z.nullable(z.string()),
  /** Disks that were kept when it was destroyed and still cost money. */
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
/** Fingerprints of the host key that is trusted, and of the one that the head node shows now. */
export const HostKeys = z.object({ known: z.nullable(z.string()), shown: z.string() })
export const DiagnosisStep = z.object({
  step: z.string(),
  ok: z.boolean(),
  /** It works, but something should be changed. */
  warning: z.optional(z.boolean()),
  message: z.string(),
  /** What the message asks to be installed. */
  publicKey: z.optional(z.string()),
  ms: z.number(),
})

/** Also of what is stored of a cluster, and of parts of one. */
export const isInCloud = <C extends { provider: string }>(
  cluster: C,
): cluster is Exclude<C, { provider: 'local' }> => cluster.provider !== 'local'
