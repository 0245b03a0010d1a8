import type { Cluster } from '@flotilla/contract/clusters'
import type { JobData } from '@flotilla/contract/jobs'

export type Offer = Pick<Cluster, 'id' | 'name' | 'info' | 'nodes' | 'largestNode' | 'whyNoSubmit'>
export type Needs = Pick<JobData, 'nodes' | 'cores' | 'gpus'>

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`

/** Why a cluster is not offered for a job, or null. Without a job only the cluster itself counts. */
export function whyNotOffered(cluster: Offer, job: Needs | null): string | null {
  const { info, nodes, largestNode, whyNoSubmit } = cluster
  if (info.state !== 'available') return `It is ${info.state}, and must be available`
  if (whyNoSubmit !== null) return whyNoSubmit
  if (!job) return null
  if (job.nodes > nodes.total) return `It has ${count(nodes.total, 'node')}; the job needs ${job.nodes}`
  if (job.cores > largestNode.cores)
    return `Its largest node has ${count(largestNode.cores, 'core')}; the job needs ${job.cores} on each`
  if (job.gpus > largestNode.gpus)
    return largestNode.gpus === 0
      ? `It has no GPUs; the job needs ${job.gpus} on each node`
      : `Its largest node has ${count(largestNode.gpus, 'GPU')}; the job needs ${job.gpus} on each`
  return null
}

/** Those on offer first, each part in the order in which they came. */
export function offers<C extends Offer>(
  clusters: readonly C[],
  job: Needs | null,
): { cluster: C; why: string | null }[] {
  const judged = clusters.map((cluster) => ({ cluster, why: whyNotOffered(cluster, job) }))
  return [...judged.filter(({ why }) => why === null), ...judged.filter(({ why }) => why !== null)]
}
