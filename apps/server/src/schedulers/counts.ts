import type { JobState, NodeInfo, NodeState, QueuedJob } from './scheduler'

export type QueueCounts = Record<JobState | 'total', number>
export type NodeCounts = Record<NodeState | 'total', number>

/** Tasks of an array are counted individually, even if they share a row. */
export function countQueue(jobs: readonly QueuedJob[]): QueueCounts {
  const counts: QueueCounts = { blocked: 0, completed: 0, queued: 0, running: 0, total: 0 }
  for (const { state, tasks } of jobs) {
    counts[state] += tasks
    counts.total += tasks
  }
  return counts
}

export function countNodes(nodes: readonly NodeInfo[]): NodeCounts {
  const counts: NodeCounts = { available: 0, busy: 0, down: 0, offline: 0, total: 0, unknown: 0 }
  for (const { state } of nodes) {
    counts[state] += 1
    counts.total += 1
  }
  return counts
}
