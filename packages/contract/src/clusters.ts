import * as z from 'zod/mini'
import { del, get, post, put } from './endpoint'
import { Done, Id, Page, Removed, Time } from './lists'

const clusterStates = [
  'saved',
  'planning',
  'planned',
  'deploying',
  'available',
  'updating',
  'stopping',
  'stopped',
  'starting',
  'destroying',
  'destroyed',
  'failed',
] as const
export const ClusterState = z.enum(clusterStates)
export type ClusterState = z.infer<typeof ClusterState>

/** What may be done in which state: the server refuses by it, the web disables by it and says why. */
const allowed = {
  edit: ['saved', 'planned', 'available', 'stopped', 'destroyed', 'failed'],
  deploy: ['saved', 'planned', 'destroyed', 'failed'],
  stop: ['available'],
  start: ['stopped'],
  destroy: ['planned', 'available', 'stopped', 'failed'],
  forceDestroy: [
    'planned',
    'deploying',
    'available',
    'updating',
    'stopping',
    'stopped',
    'starting',
    'destroying',
    'failed',
  ],
  remove: ['saved', 'destroyed'],
  submit: ['available'],
  operate: ['available', 'stopped'],
} as const satisfies Record<string, readonly ClusterState[]>
export type ClusterAction = keyof typeof allowed
export const clusterMay = (action: ClusterAction, state: ClusterState): boolean =>
  (allowed[action] as readonly ClusterState[]).includes(state)
/** Why not, for the button that is disabled and for the refusal. */
export const clusterMayNot = (action: ClusterAction, state: ClusterState): string =>
  `Not while the cluster is ${state}: it must be ${allowed[action].join(' or ')}`

const managers = ['torque', 'slurm', 'none'] as const
export const Manager = z.enum(managers)
export type Manager = z.infer<typeof Manager>
export const managerNames: Record<Manager, string> = {
  torque: 'Torque',
  slurm: 'Slurm',
  none: 'Built-in executor',
}

const text = (max: number) => z.string().check(z.trim(), z.maxLength(max, `Max character length is ${max}`))
const ClusterName = text(64).check(
  z.minLength(2, 'Min character length is 2'),
  z.regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u, 'Use letters, numbers, spaces, dots, dashes and underscores'),
)
const Host = text(253).check(
  z.regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$|^[0-9a-fA-F:]+$/, 'Enter a host name or an IP address'),
)
const Account = text(32).check(z.regex(/^[a-z_][a-z0-9_-]*\$?$/, 'Enter a Unix account name'))
const count = (max: number) => z.number().check(z.int(), z.minimum(0), z.maximum(max))
const atLeastOne = (max: number) => z.number().check(z.int(), z.minimum(1), z.maximum(max))

/** The nodes of the built-in executor: shares of the machine it runs on. */
export const VirtualNodes = z.object({
  prefix: z._default(
    text(20).check(z.regex(/^[a-z][a-z0-9-]*$/, 'Use small letters, numbers and dashes')),
    'node',
  ),
  count: z._default(atLeastOne(64), 1),
  cores: z._default(atLeastOne(1024), 1),
  gpus: z._default(count(16), 0),
})

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
const LocalClusterUpdate = z.extend(LocalClusterInput, { id: Id })

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
const NodeState = z.enum(['available', 'busy', 'down', 'offline', 'unknown'])
const QueueState = z.enum(['queued', 'running', 'blocked', 'completed'])

export const ClusterNode = z.object({
  name: z.string(),
  state: NodeState,
  /** What the resource manager itself calls it. */
  nativeState: z.string(),
  note: z.string(),
  cores: z.number(),
  coresUsed: z.number(),
  gpus: z.number(),
  gpusUsed: z.number(),
  memoryMb: z.nullable(z.number()),
  memoryFreeMb: z.nullable(z.number()),
  load: z.nullable(z.number()),
  partitions: z.array(z.string()),
  reason: z.string(),
})
export type ClusterNode = z.infer<typeof ClusterNode>

export const QueuedJob = z.object({
  id: z.string(),
  name: z.string(),
  user: z.string(),
  state: QueueState,
  nativeState: z.string(),
  /** Why it waits, in plain words. */
  reason: z.string(),
  nodes: z.number(),
  cores: z.number(),
  gpus: z.number(),
  partition: z.string(),
  nodeList: z.string(),
  submitTime: z.nullable(Time),
  startTime: z.nullable(Time),
  endTime: z.nullable(Time),
  timeLimitS: z.nullable(z.number()),
  exitCode: z.nullable(z.number()),
  /** The submission of ours that it is, when it is one. */
  submissionId: z.nullable(Id),
  jobId: z.nullable(Id),
})
export type QueuedJob = z.infer<typeof QueuedJob>

/** How old what we show is, and why it is not newer. */
const Freshness = z.object({
  polledAt: z.nullable(Time),
  error: z.nullable(z.string()),
  errorSince: z.nullable(Time),
})

export const Cluster = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  provider: z.string(),
  credential_id: z.nullable(Id),
  owner: z.string(),
  /** Whether this person may change it. */
  mine: z.boolean(),
  collaborators: z.array(z.string()),
  ldapCollaborators: z.array(z.string()),
  forEveryone: z.boolean(),
  info: z.object({ state: ClusterState, since: Time, cause: z.nullable(z.string()) }),
  data: z.object({
    manager: Manager,
    transport: z.enum(['local', 'ssh']),
    head: z.nullable(z.omit(HeadNode, { privateKey: true })),
    virtualNodes: z.nullable(VirtualNodes),
    partition: z.string(),
    slurmConf: z.string(),
    /** What the admin of the head node puts into authorized_keys. */
    publicKey: z.nullable(z.string()),
  }),
  queue: QueueCounts,
  nodes: NodeCounts,
  /** The largest node: what a job can ask of one. */
  largestNode: z.object({ cores: z.number(), gpus: z.number() }),
  freshness: Freshness,
  /** Why this person cannot submit here, or null. */
  whyNoSubmit: z.nullable(z.string()),
  createdAt: Time,
})
export type Cluster = z.infer<typeof Cluster>

/** How a table of a cluster is asked for: filtered, sorted and cut on the server, as it may be very long. */
export const TableQuery = z.object({
  offset: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(1_000_000)), 0),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(500)), 100),
  filter: z.optional(z.string().check(z.maxLength(200))),
  filterType: z._default(
    z.enum(['contains', 'startsWith', 'endsWith', 'matches', 'greaterThan', 'lessThan']),
    'contains',
  ),
  column: z.optional(z.string().check(z.maxLength(40))),
  sort: z.optional(z.string().check(z.maxLength(40))),
  descending: z.optional(z.enum(['true', 'false'])),
})
export type TableQuery = z.infer<typeof TableQuery>
const table = <T extends z.ZodMiniType>(row: T) =>
  z.object({ rows: z.array(row), total: z.number(), matching: z.number() })

export const LogLine = z.object({ seq: z.number(), time: Time, text: z.string() })
export const logTypes = ['deploy', 'stop', 'start', 'destroy', 'connection'] as const
export const LogType = z.enum(logTypes)

export const ClusterActivity = z.object({
  time: Time,
  actor: z.nullable(z.string()),
  action: z.string(),
  detail: z.string(),
})
export const LoadAverage = z.object({ cluster_id: Id, cpus: z.number(), loadAvg: z.number(), time: Time })
export const DiagnosisStep = z.object({
  step: z.string(),
  ok: z.boolean(),
  message: z.string(),
  ms: z.number(),
})
export const NodeDetail = z.object({
  node: ClusterNode,
  jobs: z.array(QueuedJob),
  native: z.record(z.string(), z.string()),
})

const ById = z.object({ id: Id })
const Changed = z.object({ cluster: Cluster })
const Names = z
  .array(z.string().check(z.minLength(1), z.maxLength(128)))
  .check(z.minLength(1, 'Choose at least one'), z.maxLength(1000))

export const clusters = {
  list: get('/api/clusters/', {
    summary: 'The clusters one may see, newest first',
    access: 'loggedIn',
    query: Page,
    reply: z.array(Cluster),
  }),
  names: get('/api/clusters/names', {
    summary: 'Ids and names of the clusters one may see',
    access: 'member',
    reply: z.array(z.object({ id: Id, name: z.string() })),
  }),
  view: get('/api/clusters/:id', { summary: 'One cluster', access: 'loggedIn', reply: Cluster }),
  queue: get('/api/clusters/:id/queue', {
    summary: 'The jobs in its queue',
    access: 'loggedIn',
    query: TableQuery,
    reply: table(QueuedJob),
  }),
  nodes: get('/api/clusters/:id/nodes', {
    summary: 'Its nodes',
    access: 'loggedIn',
    query: TableQuery,
    reply: table(ClusterNode),
  }),
  node: get('/api/clusters/node/:cluster/:node', {
    summary: 'One node with the jobs on it',
    access: 'loggedIn',
    reply: NodeDetail,
  }),
  load: get('/api/clusters/:id/load', {
    summary: 'Its load over time',
    access: 'loggedIn',
    query: z.object({ since: z.optional(z.coerce.number()) }),
    reply: z.array(LoadAverage),
  }),
  activities: get('/api/clusters/activities/:id', {
    summary: 'Who did what to it, newest first',
    access: 'loggedIn',
    query: Page,
    reply: z.array(ClusterActivity),
  }),
  logs: get('/api/clusters/logs/:id/:type', {
    summary: 'The log of a kind of action; `after` gives only what came later',
    access: 'loggedIn',
    query: z.object({
      after: z._default(z.coerce.number(), 0),
      search: z.optional(z.string().check(z.maxLength(200))),
    }),
    reply: z.array(LogLine),
  }),
  create: post('/api/clusters/', {
    summary: 'Make a cluster',
    access: 'user',
    body: z.object({ cluster: LocalClusterInput }),
    reply: Cluster,
    status: 201,
    failure: 'form',
    adminScope: true,
  }),
  createLocal: post('/api/clusters/local', {
    summary: 'Make a cluster of machines that exist',
    access: 'user',
    body: z.object({ cluster: LocalClusterInput }),
    reply: Cluster,
    status: 201,
    failure: 'form',
    adminScope: true,
  }),
  update: put('/api/clusters/', {
    summary: 'Change a cluster',
    access: 'user',
    body: z.object({ cluster: LocalClusterUpdate, deletedPkgs: z.optional(z.array(z.string())) }),
    reply: Cluster,
    failure: 'form',
    adminScope: true,
  }),
  updateLocal: put('/api/clusters/local', {
    summary: 'Change a local cluster',
    access: 'user',
    body: z.object({ cluster: LocalClusterUpdate }),
    reply: Cluster,
    failure: 'form',
    adminScope: true,
  }),
  collaborators: put('/api/clusters/collaborators', {
    summary: 'Who else may use it',
    access: 'user',
    body: z.object({ id: Id, collaborators: z.array(z.string()).check(z.maxLength(500)) }),
    reply: Changed,
    adminScope: true,
  }),
  remove: del('/api/clusters/:id', {
    summary: 'Delete its record',
    access: 'user',
    reply: Removed,
    adminScope: true,
  }),
  deploy: post('/api/clusters/deploy', {
    summary: 'Attach it',
    access: 'user',
    body: z.object({ id: Id, onlyplan: z.optional(z.boolean()) }),
    reply: Changed,
    adminScope: true,
  }),
  stop: post('/api/clusters/stop', {
    summary: 'Drain every node: running jobs end, none begins',
    access: 'user',
    body: ById,
    reply: Changed,
    adminScope: true,
  }),
  start: post('/api/clusters/start', {
    summary: 'Take its nodes into service again',
    access: 'user',
    body: ById,
    reply: Changed,
    adminScope: true,
  }),
  destroy: post('/api/clusters/destroy', {
    summary: 'Detach it; `resetingState` forces it',
    access: 'user',
    body: z.object({ id: Id, resetingState: z.optional(z.boolean()) }),
    reply: Changed,
    adminScope: true,
  }),
  test: post('/api/clusters/test', {
    summary: 'Try the connection of a cluster, saved (`id`) or not, step by step',
    access: 'user',
    body: z.object({ id: z.optional(Id), cluster: z.optional(LocalClusterInput) }),
    reply: z.array(DiagnosisStep),
    failure: 'form',
    adminScope: true,
  }),
  drain: post('/api/clusters/:id/nodes/drain', {
    summary: 'Take nodes out of service',
    access: 'user',
    body: z.object({ nodes: Names, reason: z._default(text(200), 'drained in the console') }),
    reply: Done,
    adminScope: true,
  }),
  resume: post('/api/clusters/:id/nodes/resume', {
    summary: 'Take nodes into service again',
    access: 'user',
    body: z.object({ nodes: Names }),
    reply: Done,
    adminScope: true,
  }),
  operateJobs: post('/api/clusters/:id/queue/:operation', {
    summary: 'Hold, release or cancel jobs in the queue (operation is hold, release or cancel)',
    access: 'user',
    body: z.object({ jobs: Names }),
    reply: Done,
    adminScope: true,
  }),
  downloadSshKey: get('/api/clusters/downloadSSHKey/:id', {
    summary: "The private key of the cluster's own pair",
    access: 'member',
    reply: { file: 'application/x-pem-file' },
  }),
  uploadSshKey: post('/api/clusters/:id/upload-ssh-key', {
    summary: "Add a public key to somebody's account on the cluster (multipart: sshKey, targetUsername)",
    access: 'user',
    body: z.object({
      sshKey: z.string().check(z.trim(), z.minLength(20, 'Choose a public key'), z.maxLength(20_000)),
      targetUsername: Account,
    }),
    reply: Done,
    failure: 'form',
    adminScope: true,
  }),
}
