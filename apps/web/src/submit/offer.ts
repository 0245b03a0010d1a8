import type { Cluster } from '@flotilla/contract/clusters/entity'
import { isClusterActionAllowed, clusterBlockedReason } from '@flotilla/contract/clusters/states'
import type { JobData } from '@flotilla/contract/jobs/jobs'

type Needs = Pick<JobData, 'nodes' | 'cores' | 'gpus'>
type Candidate = Pick<Cluster, 'info' | 'nodes' | 'largestNode' | 'submitBlockedReason'>
export type Offer<C> = { cluster: C; blockedReason: string | null }

/** The clusters where a job can run first, then the others with their reasons, each in their original order. */
export function offers<C extends Candidate>(job: Needs | null, clusters: readonly C[]): Offer<C>[] {
  const all = clusters.map((cluster) => ({ cluster, blockedReason: submitBlockedReason(job, cluster) }))
  return [
    ...all.filter(({ blockedReason }) => blockedReason === null),
    ...all.filter(({ blockedReason }) => blockedReason !== null),
  ]
}

/** For new users: clusters that do not require installing a key come first, then the others. */
export function keylessFirst(clusters: readonly Cluster[]): Cluster[] {
  const needsKey = ({ provider, data }: Cluster) => provider === 'local' && data.head?.accounts === 'key'
  return clusters.toSorted((a, b) => Number(needsKey(a)) - Number(needsKey(b)))
}

/** Why a cluster cannot run a job, or null. Without a job, only the cluster itself matters. */
export function submitBlockedReason(job: Needs | null, cluster: Candidate): string | null {
  const { info, nodes, largestNode } = cluster
  if (!isClusterActionAllowed('submit', info.state)) return clusterBlockedReason('submit', info.state)
  if (cluster.submitBlockedReason !== null) return cluster.submitBlockedReason
  if (!job) return null
  if (job.nodes > nodes.total) return `It has ${count(nodes.total, 'node')}; the job needs ${job.nodes}`
  if (job.cores > largestNode.cores)
    return `Its largest node has ${count(largestNode.cores, 'core')}; the job needs ${job.cores} per node`
  if (job.gpus > largestNode.gpus)
    return largestNode.gpus === 0
      ? `It has no GPUs; the job needs ${job.gpus} per node`
      : `Its largest node has ${count(largestNode.gpus, 'GPU')}; the job needs ${job.gpus} per node`
  return null
}

const count = (many: number, what: string): string =>
  `${many === 0 ? 'no' : many} ${what}${many === 1 ? '' : 's'}`
