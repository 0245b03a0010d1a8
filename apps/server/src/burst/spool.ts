import * as z from 'zod/mini'
import { TransportError } from '../transports/error'
import type { Files } from '../transports/files'

/** The folder on the head node with Slurm's requests, one file each. The console's account may read and remove them. */
export const SPOOL_FOLDER = '/var/spool/flotilla/requests'

type Spool = Pick<Files, 'list' | 'readText' | 'remove'>

const Written = z.object({
  action: z.enum(['resume', 'suspend']),
  time: z.number(),
  nodes: z.array(z.string().check(z.regex(/^[a-z][a-z0-9-]*$/))),
  /** As Slurm reports it; null in versions that do not. */
  jobs: z.nullable(
    z.object({ jobs: z.array(z.object({ job_id: z.number(), nodes: z.optional(z.nullable(z.string())) })) }),
  ),
})

/** Nodes that Slurm wants to be started or stopped. */
export interface NodeRequest {
  /** The name of its file. */
  id: string
  action: 'resume' | 'suspend'
  time: number
  nodes: string[]
  /** The jobs that wait for the nodes, if Slurm reports them. */
  jobs: number[]
}

const maxBytes = 1024 * 1024

/** The requests that are not acknowledged yet, oldest first. Files that cannot be parsed are reported and kept. */
export async function readRequests(spool: Spool): Promise<{ requests: NodeRequest[]; unreadable: string[] }> {
  const { entries } = await spool.list('')
  const ids = entries
    .map(({ name }) => name)
    // Drafts begin with a dot.
    .filter((name) => /^\d+-\d+\.json$/.test(name))
    .toSorted()
  const requests: NodeRequest[] = []
  const unreadable: string[] = []
  for (const id of ids) {
    const text = await spool.readText(id, { maxBytes }).catch(whenGone)
    if (text === null) continue
    const written = parseRequest(text)
    if (written) requests.push({ ...written, id, jobs: written.jobs?.jobs.map((job) => job.job_id) ?? [] })
    else unreadable.push(id)
  }
  return { requests, unreadable }
}

/** A file that another server has removed in the meantime is not an error. */
function whenGone(error: unknown): null {
  if (error instanceof TransportError && error.reason === 'not found') return null
  throw error
}

function parseRequest(text: string): z.infer<typeof Written> | null {
  try {
    return Written.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** The desired state per node: a later request replaces an earlier one. */
export interface NodeTarget {
  node: string
  action: NodeRequest['action']
  time: number
  jobs: number[]
}

export function nodeTargets(requests: NodeRequest[]): NodeTarget[] {
  const last = new Map<string, NodeTarget>()
  for (const { action, time, nodes, jobs } of requests)
    for (const node of nodes) last.set(node, { node, action, time, jobs })
  return [...last.values()]
}

/** The ids of the requests that are done once their action has been carried out for `nodes`. */
export const completed = (requests: NodeRequest[], nodes: ReadonlySet<string>): string[] =>
  requests.filter((request) => request.nodes.every((node) => nodes.has(node))).map(({ id }) => id)

/** Removes requests that are done. One that is already gone is not an error. */
export async function acknowledge(spool: Spool, ids: string[]): Promise<void> {
  for (const id of ids) await spool.remove(id).catch(whenGone)
}
