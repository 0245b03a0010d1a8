import { clusterMay, clusterMayNot, type Cluster } from '@flotilla/contract/clusters'
import type { JobData } from '@flotilla/contract/jobs'

type Needs = { data: Pick<JobData, 'nodes' | 'cores' | 'gpus'> }
type Asked = Pick<Cluster, 'info' | 'nodes' | 'largestNode' | 'whyNoSubmit'>
export type Offer<C> = { cluster: C; why: string | null }

/** Where a job can run; the clusters that cannot take it follow, each with its reason. */
export function offers<C extends Asked>(job: Needs, clusters: readonly C[]): Offer<C>[] {
  const all = clusters.map((cluster) => ({ cluster, why: whyNot(job, cluster) }))
  return [...all.filter(({ why }) => why === null), ...all.filter(({ why }) => why !== null)]
}

function whyNot({ data }: Needs, { info, nodes, largestNode, whyNoSubmit }: Asked): string | null {
  if (!clusterMay('submit', info.state)) return clusterMayNot('submit', info.state)
  if (whyNoSubmit !== null) return whyNoSubmit
  if (nodes.total < data.nodes) return `It has ${count(nodes.total, 'node')}, the job needs ${data.nodes}`
  if (largestNode.cores < data.cores) {
    return `Its largest node has ${count(largestNode.cores, 'core')}, the job needs ${data.cores} on each`
  }
  if (largestNode.gpus < data.gpus) {
    return `Its nodes have ${largestNode.gpus === 0 ? 'no GPUs' : `at most ${count(largestNode.gpus, 'GPU')}`}, the job needs ${data.gpus} on each`
  }
  return null
}

const count = (many: number, what: string): string =>
  `${many === 0 ? 'no' : many} ${what}${many === 1 ? '' : 's'}`
