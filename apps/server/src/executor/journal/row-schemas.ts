import * as z from 'zod/mini'

const count = z.number()
const time = z.optional(z.number())

/** The executor's rows of jobs and nodes, in terms of the Scheduler interface; readers validate them. */
export const JobRow = z.object({
  id: z.string(),
  arrayId: z.optional(z.string()),
  arrayTask: z.optional(z.string()),
  tasks: count,
  name: z.string(),
  user: z.string(),
  workdir: z.optional(z.string()),
  mark: z.optional(z.string()),
  state: z.enum(['queued', 'running', 'blocked', 'completed']),
  nativeState: z.string(),
  reason: z.string(),
  nativeReason: z.string(),
  nodes: count,
  cores: count,
  gpus: count,
  partition: z.string(),
  nodeList: z.string(),
  submitTime: time,
  expectedStartTime: time,
  startTime: time,
  endTime: time,
  timeLimitS: time,
  ending: z.optional(z.enum(['succeeded', 'failed', 'canceled', 'timed_out', 'node_failed'])),
  exitCode: z.optional(count),
  used: z.optional(
    z.object({
      wallS: time,
      cpuS: time,
      memoryMb: time,
    }),
  ),
})
export type JobRow = z.infer<typeof JobRow>

export const NodeRow = z.object({
  name: z.string(),
  state: z.enum(['available', 'busy', 'offline']),
  nativeState: z.string(),
  note: z.string(),
  reason: z.string(),
  cores: count,
  coresUsed: count,
  gpus: count,
  gpusUsed: count,
  memoryMb: count,
  memoryFreeMb: time,
  load: time,
  partitions: z.array(z.string()),
  jobs: z.optional(z.array(z.string())),
})
export type NodeRow = z.infer<typeof NodeRow>
