import { isClusterActionAllowed, clusterBlockedReason } from '@flotilla/contract/clusters/states'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { QueuedJob } from '@flotilla/contract/clusters/tables'

export type JobOperation = 'cancel' | 'hold' | 'release' | 'purge'

const from: Record<JobOperation, { states: readonly QueuedJob['state'][]; else: string }> = {
  cancel: { states: ['queued', 'running', 'blocked'], else: 'It has already ended' },
  purge: { states: ['queued', 'running', 'blocked'], else: 'It has already ended' },
  hold: { states: ['queued', 'blocked'], else: 'Only queued jobs can be held' },
  release: { states: ['blocked', 'queued'], else: 'Only held jobs can be released' },
}

/** Why the user cannot cancel, hold or release a job now, or null. */
export function jobBlockedReason(
  operation: JobOperation,
  job: QueuedJob,
  cluster: Pick<Cluster, 'mine' | 'owner' | 'info'>,
  username: string,
): string | null {
  const { state } = cluster.info
  if (!isClusterActionAllowed('operate', state)) return clusterBlockedReason('operate', state)
  if (!from[operation].states.includes(job.state)) return from[operation].else
  if (cluster.mine) return null
  // Users cancel their own jobs as submissions.
  if (operation === 'cancel' && job.user === username && job.submissionId !== null) return null
  return job.user === username
    ? `Only the cluster’s owner, ${cluster.owner}, can do this`
    : `This job belongs to ${job.user}`
}

/** For a selection: null if at least one job allows it, because the others are skipped. */
export function bulkBlockedReason(reasons: readonly (string | null)[]): string | null {
  return reasons.includes(null) ? null : (reasons[0] ?? null)
}
