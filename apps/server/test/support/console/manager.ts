import { api } from '@flotilla/contract/api'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import { Console, type JobGiven } from './console'

/**
 * A resource manager to test: two nodes of four cores, of which at least one has two GPUs. Jobs request the resources
 * that were recorded with Torque, so that the same jobs work with every manager.
 */
export type Manager = {
  /** The settings with which the cluster is attached. */
  data: object
  /** The settings where another account operates the nodes; null if no account has operator rights. */
  operated?: object | null
  env?: Record<string, string>
  nodes: [string, string]
  /** A command that prints the names of the job's nodes in one line. */
  printNodes: string
  /** The variable with the index of an array task. */
  task: string
  gpuVariable: string
  /** The shortest practical wall time; some managers count in minutes. */
  shortLimit: string
  /** How many nodes the job with the short wall time takes: with one, a test can power off the other. */
  shortNodes: 1 | 2
  /** Whether jobs really run, rather than being replayed from recordings. */
  real: boolean
  power?: { off(node: string): Promise<void>; on(node: string): Promise<void> }
  stop?(): Promise<void>
}

export type Prepared = Awaited<ReturnType<typeof prepare>>
/** Attaches the manager to a console of its own, and starts the job that overruns its wall time. */
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
  // Some managers take a minute to end it, so it runs in parallel with the other tests.
  const shape = { nodes: manager.shortNodes, cores: 2, walltime: manager.shortLimit }
  const long = { ...shape, script: 'echo begins; sleep 1000' }
  const overdue = await submit({ name: 'overdue', ...long })
  const stop = async () => {
    // The test that waits for its end may not have run.
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
