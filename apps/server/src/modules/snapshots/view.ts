import type { ClusterNode, QueuedJob } from '@flotilla/contract/clusters/tables'
import { outcomeOf } from '../../schedulers/outcome'
import type * as scheduler from '../../schedulers/scheduler'

export const asNode = (node: scheduler.NodeInfo): ClusterNode => ({
  name: node.name,
  state: node.state,
  nativeState: node.nativeState,
  note: node.note,
  cores: node.cores,
  coresUsed: node.coresUsed,
  gpus: node.gpus,
  gpusUsed: node.gpusUsed,
  memoryMb: node.memoryMb,
  // A resource manager may count swap as free, or be configured with less memory than there is.
  memoryFreeMb:
    node.memoryFreeMb === undefined ? null : Math.min(Math.max(0, node.memoryFreeMb), node.memoryMb),
  load: node.load ?? null,
  partitions: node.partitions,
  reason: node.reason,
})

/** The submission of this console that a job in a queue belongs to. */
export type Link = { submissionId: string; jobId: string }
export const asQueuedJob = (job: scheduler.QueuedJob, link: Link | undefined): QueuedJob => ({
  id: job.id,
  name: job.name,
  user: job.user,
  state: job.state,
  outcome: outcomeOf(job),
  nativeState: job.nativeState,
  reason: job.reason,
  nodes: job.nodes,
  cores: job.cores,
  gpus: job.gpus,
  partition: job.partition,
  nodeList: job.nodeList,
  submitTime: job.submitTime ?? null,
  startTime: job.startTime ?? null,
  endTime: job.endTime ?? null,
  timeLimitS: job.timeLimitS ?? null,
  exitCode: job.exitCode ?? null,
  submissionId: link?.submissionId ?? null,
  jobId: link?.jobId ?? null,
})
