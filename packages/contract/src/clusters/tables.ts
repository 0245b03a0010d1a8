import * as z from 'zod/mini'
import { Id, Time } from '../lists'

const NodeState = z.enum(['available', 'busy', 'down', 'offline', 'unknown'])
const QueueState = z.enum(['queued', 'running', 'blocked', 'completed'])
const QueueOutcome = z.enum(['queued', 'running', 'blocked', 'completed', 'failed', 'timed_out', 'canceled'])
export type QueueOutcome = z.infer<typeof QueueOutcome>

export const ClusterNode = z.object({
  name: z.string(),
  state: NodeState,
  /** The resource manager's own name of the state. */
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
  /** What users see: the state, and how the job ended. Rows from an older server lack it until the next poll. */
  outcome: z.optional(QueueOutcome),
  nativeState: z.string(),
  /** Why it is waiting, in plain text. */
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
  /** The console's submission that this job belongs to, if there is one. */
  submissionId: z.nullable(Id),
  jobId: z.nullable(Id),
})
export type QueuedJob = z.infer<typeof QueuedJob>

export const NodeDetail = z.object({
  node: ClusterNode,
  jobs: z.array(QueuedJob),
  native: z.record(z.string(), z.string()),
})

/** A query for a table of a cluster. The server filters, sorts and pages the rows, because there may be very many. */
export const TableQuery = z.object({
  offset: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(1_000_000)), 0),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(500)), 100),
  filter: z.optional(z.string().check(z.maxLength(200))),
  filterType: z._default(
    z.enum(['contains', 'startsWith', 'endsWith', 'matches', 'greaterThan', 'lessThan']),
    'contains',
  ),
  column: z.optional(z.string().check(z.maxLength(40))),
  /** Only rows in this state, in addition to the filter. */
  state: z.optional(z.string().check(z.maxLength(40))),
  sort: z.optional(z.string().check(z.maxLength(40))),
  descending: z.optional(z.enum(['true', 'false'])),
})
export type TableQuery = z.infer<typeof TableQuery>
/** `data` is the specification's name of the rows. */
export const table = <T extends z.ZodMiniType>(row: T) =>
  z.object({ rows: z.array(row), data: z.array(row), total: z.number(), matching: z.number() })
