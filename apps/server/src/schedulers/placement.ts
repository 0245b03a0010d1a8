import { NODES_MAX, tooMany } from './bounds'
import { countNodes, expandNodes } from './node-list'
import type { NodeInfo, QueuedJob } from './scheduler'

export const WAITS_FOR_CORES = 'Waiting for free cores: other jobs are running'
/** The maximum sum of the nodes of all running jobs: more than on any cluster. */
const PLACES_MAX = 10 * NODES_MAX
/** The same limit for the jobs reported by one user's account. */
const THEIR_PLACES_MAX = NODES_MAX
const NO_NODE_UP = 'Waiting for nodes: all of them are down or offline'

/** Torque gives the same wait reason whether the nodes are busy or none of them is up. */
export function withNodeStates(jobs: readonly QueuedJob[], nodes: readonly NodeInfo[]): QueuedJob[] {
  const someUp = nodes.some(({ state }) => state === 'available' || state === 'busy')
  if (someUp || nodes.length === 0) return [...jobs]
  return jobs.map((job) => (job.reason === WAITS_FOR_CORES ? { ...job, reason: NO_NODE_UP } : job))
}

/**
 * The nodes with the jobs that run on them, and with the GPUs of those jobs where the resource manager does not report
 * how many are in use. Implausibly many nodes are an error, unless a user's own account reported them: then only that
 * job's nodes are ignored, so that other users are not affected.
 */
export function placed(nodes: readonly NodeInfo[], jobs: readonly QueuedJob[]): NodeInfo[] {
  const on = new Map(nodes.map((node): [string, QueuedJob[]] => [node.name, []]))
  const left = new Map<string | undefined, number>([[undefined, PLACES_MAX]])
  for (const job of jobs)
    if (job.state === 'running') {
      const { reportedBy } = job
      const after = (left.get(reportedBy) ?? THEIR_PLACES_MAX) - countNodes(job.nodeList)
      if (after >= 0) {
        left.set(reportedBy, after)
        for (const name of expandNodes(job.nodeList)) on.get(name)?.push(job)
      } else if (reportedBy === undefined) throw tooMany('nodes')
    }
  return nodes.map((node) => {
    const here = on.get(node.name) ?? []
    const gpus = here.reduce((sum, job) => sum + job.gpus, 0)
    return {
      ...node,
      jobs: here.map(({ id }) => id),
      gpusUsed: Math.max(node.gpusUsed, Math.min(gpus, node.gpus)),
    }
  })
}
