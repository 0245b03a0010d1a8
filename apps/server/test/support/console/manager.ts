import { api } from '@flotilla/contract/api'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import { Console, type JobGiven } from './console'

/**
 * A resource manager to hold against the behaviors: two nodes of four cores, of which at least one has two GPUs. Jobs are
 * asked for in the shapes that were recorded of Torque, so that the same ones do everywhere.
 */
export type Manager = {
  /** The cluster as it is attached. */
  data: object
  /** The same where nodes are operated by another account than jobs; null when there is none that may. */
  operated?: object | null
  env?: Record<string, string>
  nodes: [string, string]
  /** Prints the names of the job's nodes in one line. */
  printNodes: string
  /** The variable with the number of an array's task. */
  task: string
  gpuVariable: string
  /** A wall time that is soon over; some count in minutes. */
  shortLimit: string
  /** How many nodes the job has whose wall time is over soon: with one, another can die beside it. */
  shortNodes: 1 | 2
  /** Jobs really run, and not only in the recordings. */
  real: boolean
  power?: { off(node: string): Promise<void>; on(node: string): Promise<void> }
  stop?(): Promise<void>
}

export type Prepared = Awaited<ReturnType<typeof prepare>>
/** Attaches it to a console of its own, and starts the one job that takes long. */
export async function prepare(manager: Manager) {
  const server = await Console.start({ ...(manager.env && { env: manager.env }) })
  const cluster = await server.deployed('Managed', manager.data)
  const operated = manager.operated ? await server.deployed('Operated', manager.operated) : cluster
  const jobs = new Map<string, string>()
  const submit = async (given: JobGiven): Promise<Submission> => {
    const submitted = await server.submit(cluster, given, server.admin, { runAsAdmin: true })
    jobs.set(submitted.id, submitted.jobId)
    return submitted
  }
  // Some take a minute for it, so it runs beside all the others.
  const shape = { nodes: manager.shortNodes, cores: 2, walltime: manager.shortLimit }
  const long = { ...shape, script: 'echo begins; sleep 1000' }
  const overdue = await submit({ name: 'overdue', ...long })
  const stop = async () => {
    // No one may have waited for its end.
    if ((await server.submission(overdue.id)).endedAt === null) {
      await server.must(api.jobs.cancel, { body: { job: overdue.id, cluster } }, { token: server.admin })
      await server.ended(overdue.id)
    }
    for (const [id, job] of jobs)
      await server.must(api.jobs.deleteOutput, { id: job, body: { jobs: [id] } }, { token: server.admin })
    await server.stop()
    await manager.stop?.()
  }
  return { manager, server, cluster, operated, overdue, submit, stop }
}
