import * as z from 'zod/mini'
import { get } from '../endpoint'
import { Page, Time } from '../lists'

/** The currency of all clouds' prices and of the prices that admins set for local machines. */
export const CURRENCY = 'USD'

const hours = z.number()
/** Null if no part of it has a known price; `unpricedCoreHours` says how much has none. */
const price = z.nullable(z.number())

/** What jobs used. Only the part inside the range counts. */
const jobFigures = {
  jobs: z.number(),
  coreHours: hours,
  gpuHours: hours,
  nodeHours: hours,
  price,
  unpricedCoreHours: hours,
}

const AccountUsage = z.object({
  /** The username; for jobs of users who are unknown here, the account on the cluster. */
  userAccount: z.string(),
  name: z.string(),
  ...jobFigures,
  currency: z.string(),
})
export type AccountUsage = z.infer<typeof AccountUsage>

const JobUsage = z.object({
  submissionId: z.nullable(z.string()),
  /** The job's id in Flotilla, for a link to its page. */
  jobId: z.nullable(z.string()),
  nativeId: z.string(),
  job: z.string(),
  cluster: z.string(),
  clusterId: z.string(),
  state: z.string(),
  nodes: z.number(),
  nodeList: z.string(),
  cores: z.number(),
  gpus: z.number(),
  startedAt: Time,
  /** Null while it is running. */
  endedAt: z.nullable(Time),
  /** Whether `endedAt` is when it was last seen, because the resource manager did not report an end time. */
  estimated: z.boolean(),
  coreHours: hours,
  gpuHours: hours,
  price,
})
export type JobUsage = z.infer<typeof JobUsage>

/** What machines cost by how they were used; 0 if nothing existed that could cost anything. */
const MachineCosts = z.object({ busy: price, idle: price, stopped: price, disks: price })

const ClusterUsage = z.object({
  clusterId: z.string(),
  name: z.string(),
  provider: z.string(),
  jobs: z.number(),
  nodeHours: hours,
  busyNodeHours: hours,
  coreHours: hours,
  gpuHours: hours,
  machinePrice: price,
  diskPrice: price,
  price,
  /** Hours of machines and disks without a known price, which the prices here do not include. */
  unpricedHours: hours,
  costs: MachineCosts,
  currency: z.string(),
})
export type ClusterUsage = z.infer<typeof ClusterUsage>

const NodeUsage = z.object({
  node: z.string(),
  kind: z.enum(['machine', 'disk', 'other']),
  upHours: hours,
  busyHours: hours,
  idleHours: hours,
  /** For a disk, while its cluster was stopped. */
  stoppedHours: hours,
  price,
  unpricedHours: hours,
})
export type NodeUsage = z.infer<typeof NodeUsage>

/** A job that ran on a node, with its user. */
const NodeJob = z.extend(JobUsage, { userAccount: z.string() })
export type NodeJob = z.infer<typeof NodeJob>

/** A period in which a node or disk was in one state at one price. Only the part inside the range counts. */
const UsagePeriod = z.object({
  state: z.enum(['busy', 'idle', 'stopped']),
  from: Time,
  /** Null if it has not ended. */
  to: z.nullable(Time),
  hours,
  perHour: price,
  price,
})
export type UsagePeriod = z.infer<typeof UsagePeriod>

/** A period for which a cluster's records are incomplete. */
const UsageGap = z.object({
  clusterId: z.string(),
  cluster: z.string(),
  from: Time,
  to: Time,
  reason: z.string(),
})

const UsageSummary = z.object({
  /** One entry for each day (UTC) with usage; of the first and last day, only the part inside the range counts. */
  days: z.array(
    z.object({ day: Time, coreHours: hours, gpuHours: hours, jobPrice: price, machinePrice: price }),
  ),
  /** What jobs used on each cluster, for one account or for all. */
  clusters: z.array(z.object({ clusterId: z.string(), name: z.string(), ...jobFigures })),
  gaps: z.array(UsageGap),
})
export type UsageSummary = z.infer<typeof UsageSummary>

const Filter = z.object({
  cluster: z.optional(z.string().check(z.maxLength(64))),
  account: z.optional(z.string().check(z.maxLength(200))),
})

/** Usage of all users for admins, and of their own jobs for everyone. */
export const account = {
  list: get('/api/account/:startMs/:endMs', {
    summary: 'Hours and price of the jobs in a range, by user',
    access: 'admin',
    query: z.pick(Filter, { cluster: true }),
    reply: z.array(AccountUsage),
  }),
  details: get('/api/account/details/:userAccount/:startMs/:endMs', {
    summary: 'Jobs of one user in a range, newest first',
    access: 'admin',
    query: z.extend(Page, z.pick(Filter, { cluster: true }).shape),
    reply: z.array(JobUsage),
  }),
  own: get('/api/account/own/:startMs/:endMs', {
    summary: 'Hours and price of your own jobs in a range',
    access: 'member',
    reply: AccountUsage,
  }),
  ownJobs: get('/api/account/own/jobs/:startMs/:endMs', {
    summary: 'Your own jobs in a range, newest first',
    access: 'member',
    query: Page,
    reply: z.array(JobUsage),
  }),
}

export const usages = {
  list: get('/api/usages/:startMs/:endMs', {
    summary: 'Hours and price of the machines and disks in a range, by cluster',
    access: 'admin',
    reply: z.array(ClusterUsage),
  }),
  details: get('/api/usages/details/:clusterId/:startMs/:endMs', {
    summary: 'Hours and price of each node and disk of a cluster in a range',
    access: 'admin',
    reply: z.array(NodeUsage),
  }),
  periods: get('/api/usages/periods/:clusterId/:kind/:name/:startMs/:endMs', {
    summary:
      'What one node or disk did in a range and at which price, newest first; kind is machine, disk or other',
    access: 'admin',
    query: Page,
    reply: z.array(UsagePeriod),
  }),
  jobs: get('/api/usages/jobs/:clusterId/:node/:startMs/:endMs', {
    summary: 'Jobs that ran on one node in a range, newest first',
    access: 'admin',
    query: Page,
    reply: z.array(NodeJob),
  }),
  summary: get('/api/usages/summary/:startMs/:endMs', {
    summary: 'Usage by day and by cluster, and the periods in which records are incomplete',
    access: 'admin',
    query: Filter,
    reply: UsageSummary,
  }),
}
