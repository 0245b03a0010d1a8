import type { QueuedJob } from '../../../schedulers/scheduler'
import { query } from '../commands/query'
import type { ClusterConnection } from '../commands/connection'
import type { StoredCluster } from '../stored-cluster'

/** How often it is asked whether the account sees everyone's jobs: a site can change that. */
const VISIBILITY_MS = 60_000
const AT_ONCE = 4

type Person = { id: string; username: string }
type Options = {
  /** Who has jobs there that the console knows of. */
  people(clusterId: string): Promise<Person[]>
  asPerson(cluster: StoredCluster, person: Person): Promise<ClusterConnection>
  now: () => number
}
type State = { askedAt: number; hidden: string | null; theirs: Map<string, QueuedJob[]> }

/**
 * Reads the queue as the account that administers the cluster and, where that sees only its own jobs, as the people who
 * have some there. If a person's account cannot be reached, their last known jobs are kept.
 */
export function makeQueueReader({ people, asPerson, now }: Options) {
  const states = new Map<string, State>()

  const readTheirs = async (cluster: StoredCluster, { theirs }: State): Promise<QueuedJob[]> => {
    const all = await people(cluster.id)
    const waiting = [...all]
    const worker = async () => {
      for (let person = waiting.shift(); person; person = waiting.shift())
        try {
          const connection = await asPerson(cluster, person)
          theirs.set(person.id, await query(connection, connection.scheduler.queue()))
        } catch {
          // Their account may be locked, which is no trouble of the others.
        }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    for (const id of theirs.keys()) if (!all.some((person) => person.id === id)) theirs.delete(id)
    return [...theirs.values()].flat()
  }

  /** With why the account does not see the jobs of others, or null. */
  return async (
    cluster: StoredCluster,
    connection: ClusterConnection,
  ): Promise<{ jobs: QueuedJob[]; hidden: string | null }> => {
    const jobs = await query(connection, connection.scheduler.queue())
    const question = connection.scheduler.hiddenJobs?.()
    if (!question) return { jobs, hidden: null }
    const state: State = states.get(cluster.id) ?? { askedAt: 0, hidden: null, theirs: new Map() }
    states.set(cluster.id, state)
    if (now() - state.askedAt > VISIBILITY_MS) {
      state.hidden = await query(connection, question)
      state.askedAt = now()
    }
    if (state.hidden === null) return { jobs, hidden: null }
    const all = [...(await readTheirs(cluster, state)), ...jobs]
    return { jobs: [...new Map(all.map((job) => [job.id, job])).values()], hidden: state.hidden }
  }
}
