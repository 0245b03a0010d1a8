import { withinReason } from '../../../schedulers/bounds'
import { countTasks } from '../../../schedulers/request'
import { belongsTo, isOurs, type Query, type QueuedJob } from '../../../schedulers/scheduler'
import { within } from '../../../timing/within'
import { eachOf } from '../../../timing/workers'
import { TransportError } from '../../../transports/error'
import type { ClusterAccess } from '../../clusters/open'
import type { InProgress } from './store'

type Connection = Awaited<ReturnType<ClusterAccess['forSubmission']>>['connection']
type Access = Pick<ClusterAccess, 'forSubmission' | 'query'>
/** The history of jobs that left the queue. Those in `unqueried` may still exist: their accounts were not queried. */
type Past = { found: Map<string, QueuedJob[]>; unqueried: Set<string> }

/** The timeout for users' accounts, which may be slow on purpose and delay the tracking of all jobs. */
const TIMEOUT_MS = 10_000
const AT_ONCE = 4

const ids = (rows: InProgress[]) => rows.map(({ native_id }) => native_id ?? '')
const arrays = (rows: InProgress[]) =>
  Object.fromEntries(rows.flatMap(({ native_id, array }) => (array === null ? [] : [[native_id, array]])))

/**
 * Queries the resource manager as the account that administers the cluster and as the accounts that the jobs ran as: on
 * some sites only those see the jobs, and a job records its end in its folder. Fails if the resource manager cannot be
 * queried.
 */
export async function readPast(
  access: Access,
  clusterId: string,
  rows: InProgress[],
  timeoutMs = TIMEOUT_MS,
): Promise<Past> {
  const found = new Map<string, QueuedJob[]>()
  const unqueried = new Set<string>()
  const [any] = rows
  if (!any) return { found, unqueried }

  /** Whether tasks are still missing: different sources may know different tasks of an array. */
  const isOpen = (row: InProgress): boolean => {
    const known = (found.get(row.id) ?? []).reduce((sum, { tasks }) => sum + tasks, 0)
    return known < (row.array === null ? 1 : countTasks(row.array))
  }
  const queryFor = async (
    connection: Connection,
    query: Query<QueuedJob[]>,
    of: InProgress[],
  ): Promise<void> => {
    if (!of.some(isOpen)) return
    const jobs = await access.query(connection, query)
    for (const row of of) {
      const known = found.get(row.id) ?? []
      const news = jobs.filter(
        (job) =>
          belongsTo(job, row.native_id ?? '') &&
          // The user could have forged the number. Not every source names the owner.
          (job.user === '' || isOurs(job, row)) &&
          !known.some(({ id }) => id === job.id),
      )
      if (news.length > 0) found.set(row.id, [...known, ...news.map(withinReason)])
    }
  }
  const queryOwner = async (of: InProgress[]): Promise<void> => {
    const [first] = of
    if (!first) return
    const { connection } = await access.forSubmission({ ...first, cluster_id: clusterId })
    const folders = of.map(({ folder }) => `${connection.home}/${folder}`)
    for (const query of connection.scheduler.ownHistory?.(ids(of), folders) ?? [])
      await queryFor(connection, query, of)
  }

  const { connection } = await access.forSubmission({ ...any, cluster_id: clusterId, run_as_admin: true })
  // A failed query is not an empty history, so it throws and is retried.
  const [recent, ...older] = connection.scheduler.history(ids(rows), arrays(rows))
  if (recent) await queryFor(connection, recent, rows)
  if (connection.scheduler.ownHistory) {
    const accountOf = (row: InProgress) => (row.run_as_admin ? null : row.user_id)
    const open = rows.filter(isOpen)
    const enough = new AbortController()
    for (const { id } of open) unqueried.add(id)
    const queryAccount = (account: string | null): Promise<void> => {
      const theirs = open.filter((row) => accountOf(row) === account)
      return queryOwner(theirs).then(
        () => void (enough.signal.aborted || theirs.forEach(({ id }) => unqueried.delete(id))),
        () => {},
      )
    }
    const accounts = new Set(open.map(accountOf))
    await within(timeoutMs, eachOf(accounts, AT_ONCE, queryAccount, enough.signal))
    enough.abort()
  }
  // Searching long server logs may time out. Then the result is unknown, but polling the cluster continues.
  for (const query of older)
    await queryFor(connection, query, rows).catch((error: unknown) => {
      if (!(error instanceof TransportError && error.reason === 'timed out')) throw error
      for (const { id } of rows.filter(isOpen)) unqueried.add(id)
    })
  // Copies, so that late answers cannot change the result.
  return { found: new Map(found), unqueried: new Set(unqueried) }
}
