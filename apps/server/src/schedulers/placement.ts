import { NODES_MAX, tooMany } from './bounds'
import { expandNodes } from './node-list'
import type { NodeInfo, QueuedJob } from './scheduler'

export const WAITS_FOR_CORES = 'Waiting for free cores: other jobs are running'
/** On how many nodes all running jobs together may be: more than on any cluster. */
const PLACES_MAX = 10 * NODES_MAX
const NO_NODE_UP = 'Waiting for nodes: all of them are down or offline'

/** Torque gives the same wait reason whether the nodes are busy or none of them is up. */
export function withNodeStates(jobs: readonly QueuedJob[], nodes: readonly NodeInfo[]): QueuedJob[] {
  const someUp = nodes.some(({ state }) => state === 'available' || state === 'busy')
  if (someUp || nodes.length === 0) return [...jobs]
  return jobs.map((job) => (job.reason === WAITS_FOR_CORES ? { ...job, reason: NO_NODE_UP } : job))
}

/**
 * The nodes with the jobs that run on them, and with the GPUs of those jobs where the resource manager itself does
 * not report how many are in use.
 */
export function placed(nodes: readonly NodeInfo[], jobs: readonly QueuedJob[]): NodeInfo[] {
  const on = new Map(nodes.map((node): [string, QueuedJob[]] => [node.name, []]))
  let left = PLACES_MAX
  for (const job of jobs)
    if (job.state === 'running') {
      const names = expandNodes(job.nodeList)
      left -= names.length
      if (left < 0) throw tooMany('nodes')
      for (const name of names) on.get(name)?.push(job)
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
