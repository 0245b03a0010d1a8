import { isJobId } from '../../../schedulers/bounds'
import { isSameAccount, numberOf, type QueuedJob } from '../../../schedulers/scheduler'
import { within } from '../../../timing/within'
import { eachOf } from '../../../timing/workers'
import { query } from '../commands/query'
import type { ClusterConnection } from '../commands/connection'
import type { StoredCluster } from '../stored-cluster'

/** How often to check whether the account sees everyone's jobs: a site can change that. */
const VISIBILITY_MS = 60_000
const AT_ONCE = 4
/** More jobs than anyone has in a queue: a large array has this many tasks. */
const THEIR_JOBS_MAX = 100_000
/** How often people with nothing in progress that the console knows of are queried: they may have submitted by hand. */
const IDLE_MS = 15_000
/** How long a poll waits for people's accounts, which may be slow on purpose. The next poll uses later results. */
const TIMEOUT_MS = 3000
/** Backoff for an account that can't be queried: a site may lock an account after repeated failures. */
const REFUSED_MS = { first: IDLE_MS, most: 15 * 60_000 }

type Person = { id: string; username: string }
type Options = {
  /** People who may have jobs there; `busy` are those with some in progress. */
  people(clusterId: string): Promise<(Person & { busy: boolean })[]>
  asPerson(cluster: StoredCluster, person: Person): Promise<ClusterConnection>
  now: () => number
  timeoutMs?: number
}
type Theirs = { jobs: QueuedJob[]; nextAt: number; refusals: number }
type State = {
  checkedAt: number
  hidden: string | null
  theirs: Map<string, Theirs>
  /** People whose query has not finished yet. */
  querying: Set<string>
}

/**
 * Reads the queue as the account that administers the cluster and, where that sees only its own jobs, as the people who
 * may have some there. If a person's account cannot be reached, their last known jobs are kept.
 */
export function makeQueueReader({ people, asPerson, now, timeoutMs = TIMEOUT_MS }: Options) {
  const states = new Map<string, State>()

  const readTheirs = async (cluster: StoredCluster, { theirs, querying }: State): Promise<QueuedJob[]> => {
    const all = await people(cluster.id)
    const waiting = all.filter(({ id, busy }) => {
      const last = theirs.get(id)
      return !querying.has(id) && (!last || now() >= last.nextAt || (busy && last.refusals === 0))
    })
    for (const { id } of waiting) querying.add(id)
    const readQueueOf = async (person: Person) => {
      const last = theirs.get(person.id)
      try {
        const connection = await asPerson(cluster, person)
        const queue = await query(connection, connection.scheduler.queue())
        // Users control which programs their account runs, so its reports about other users' jobs are ignored.
        const jobs = queue
          .filter((job) => isSameAccount(job.user, connection.account))
          .filter((job) => isJobId(job.id) && isJobId(numberOf(job)))
          .slice(0, THEIR_JOBS_MAX)
          .map((job) => ({ ...job, reportedBy: person.id }))
        theirs.set(person.id, { jobs, nextAt: now() + IDLE_MS, refusals: 0 })
      } catch {
        // The account may be locked, which must not affect the others.
        const refusals = (last?.refusals ?? 0) + 1
        const wait = Math.min(REFUSED_MS.first * 2 ** (refusals - 1), REFUSED_MS.most)
        theirs.set(person.id, { jobs: last?.jobs ?? [], nextAt: now() + wait, refusals })
      }
      querying.delete(person.id)
    }
    await within(timeoutMs, eachOf(waiting, AT_ONCE, readQueueOf))
    for (const id of theirs.keys()) if (!all.some((person) => person.id === id)) theirs.delete(id)
    return [...theirs.values()].flatMap(({ jobs }) => jobs)
  }

  /** Returns the jobs, and why the account does not see those of others, or null if it does. */
  return async (
    cluster: StoredCluster,
    connection: ClusterConnection,
  ): Promise<{ jobs: QueuedJob[]; hidden: string | null }> => {
    const own = await query(connection, connection.scheduler.queue())
    const question = connection.scheduler.hiddenJobs?.()
    if (!question) return { jobs: own, hidden: null }
    // What was known before a restart holds until the server says otherwise.
    const { hidden_jobs: hidden } = cluster
    const initial: State = { checkedAt: 0, hidden, theirs: new Map(), querying: new Set() }
    const state = states.get(cluster.id) ?? initial
    states.set(cluster.id, state)
    if (now() - state.checkedAt > VISIBILITY_MS) {
      // If the server is too busy to answer, its last answer still holds.
      state.hidden = await query(connection, question).catch(() => state.hidden)
      state.checkedAt = now()
    }
    if (state.hidden === null) return { jobs: own, hidden: null }
    const seen = new Set(own.map((job) => `${job.user} ${job.id}`))
    const theirs = (await readTheirs(cluster, state)).filter((job) => !seen.has(`${job.user} ${job.id}`))
    // Keyed by reporter: no one can hide another user's job by claiming its id or an equivalent account name.
    const reported = new Map(theirs.map((job) => [`${job.reportedBy} ${job.id}`, job]))
    return { jobs: [...reported.values(), ...own], hidden: state.hidden }
  }
}
