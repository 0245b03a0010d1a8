import * as z from 'zod/mini'
import { NodeCounts, QueueCounts } from './entity'
import { ClusterState } from './states'
import { get } from '../endpoint'
import { Id, Time } from '../lists'
import { Announcement } from '../site/announcement'

/** A part of the installation. Values that do not apply to it are null. */
export const ServiceStatus = z.object({
  service: z.string(),
  running: z.boolean(),
  /** One sentence: what works, or what is wrong. */
  message: z.string(),
  /** Percent of one core. */
  cpu: z.nullable(z.number()),
  /** In bytes. */
  memory: z.nullable(z.number()),
  disk: z.nullable(z.object({ total: z.number(), used: z.number() })),
})
export type ServiceStatus = z.infer<typeof ServiceStatus>

const attentionKinds = [
  'service',
  'disk',
  'cluster',
  'connection',
  'bursting',
  'drift',
  'stack',
  'credential',
  'leftovers',
  'jobs',
  'backup',
  'audit',
  'approval',
  'license',
  'config',
] as const
/** Something that requires action, and the page where it can be taken. */
export const Attention = z.object({
  kind: z.enum(attentionKinds),
  text: z.string(),
  link: z.string(),
  since: z.nullable(Time),
})
export type Attention = z.infer<typeof Attention>

const firstSteps = ['job', 'cluster', 'people', 'mail'] as const
/** A setup step of a new installation. */
const FirstStep = z.object({ step: z.enum(firstSteps), done: z.boolean() })
export type FirstStep = z.infer<typeof FirstStep>

export const Dashboard = z.object({
  /** For admins only. */
  services: z.array(ServiceStatus),
  /** How many clusters are in each state. */
  clusters: z.partialRecord(ClusterState, z.number()),
  queue: QueueCounts,
  nodes: NodeCounts,
  /** For admins only. */
  people: z.nullable(z.object({ online: z.number(), total: z.number() })),
  /** Null where the price is unknown. */
  spend: z.object({ today: z.nullable(z.number()), month: z.nullable(z.number()), currency: z.string() }),
  attention: z.array(Attention),
  announcement: z.nullable(Announcement),
  /** Empty when everything is done. */
  firstSteps: z.array(FirstStep),
})
export type Dashboard = z.infer<typeof Dashboard>

/** What a new user has tried so far. */
export const FirstRun = z.object({
  /** The first job they submitted. */
  firstJob: z.nullable(
    z.object({
      jobId: Id,
      submissionId: Id,
      name: z.string(),
      ended: z.boolean(),
      submittedAt: Time,
    }),
  ),
  terminalOpened: z.boolean(),
})
export type FirstRun = z.infer<typeof FirstRun>

export const dashboard = {
  firstRun: get('/api/dashboard/first-run', {
    summary: 'Get your first-run progress',
    access: 'user',
    reply: FirstRun,
  }),
  view: get('/api/dashboard', {
    summary: 'Get the state of the installation, or of what is yours',
    access: 'member',
    reply: Dashboard,
  }),
}
