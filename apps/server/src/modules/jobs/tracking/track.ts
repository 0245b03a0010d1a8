import type { Database } from '../../../db/database'
import { isJobId } from '../../../schedulers/bounds'
import { endings } from '../../../schedulers/outcome'
import { isOurs, isSameAccount, numberOf, ownedNumber, type QueuedJob } from '../../../schedulers/scheduler'
import type { ClusterAccess } from '../../clusters/open'
import { notifyJobsChanged } from '../jobs'
import { readPast } from './past'
import * as store from './store'
import { taskStates } from '../tasks'

type Row = store.InProgress
/** How long a job may be missing from the queue before its outcome counts as unknown. */
const LOST_AFTER_MS = 5 * 60_000
/** The same for a canceled job, since some resource managers forget those immediately. */
const CANCELED_AFTER_MS = 30_000
/** The same if the job's account cannot be queried, which may be the only one that sees the job. */
const UNQUERIED_LOST_AFTER_MS = 24 * 60 * 60_000
/** How often the history is queried for a job that is missing from the queue. */
const HISTORY_MS = 5000
/** The longest pause when the job's account can't be queried: a site may lock an account after repeated failures. */
const REFUSED_MS = 60_000
/** How many jobs one query names, because the length of a command line is limited. */
const QUERIED_AT_ONCE = 100

type Seen = Omit<store.Progress, 'id' | 'native_id'>

// The limits of the database. Users can forge values of their own jobs, and all jobs are saved together.
const LATEST_MS = Date.UTC(9999, 11, 31)
const CODE_MAX = 2 ** 31 - 1
/** Longer than the names of all nodes of a large cluster. */
const NODE_LIST_MAX = 200_000

const date = (ms: number | undefined): Date | null =>
  ms !== undefined && ms >= 0 && ms <= LATEST_MS ? new Date(ms) : null
const code = (value: number | undefined): number | null =>
  value !== undefined && Number.isInteger(value) && Math.abs(value) <= CODE_MAX ? value : null
const known = (values: (number | undefined)[]) => values.filter((value) => value !== undefined)
const least = (values: (number | undefined)[]) => known(values).toSorted((a, b) => a - b)[0]
const most = (values: (number | undefined)[]) => known(values).toSorted((a, b) => b - a)[0]

/** The progress of a submission from its rows in the queue: one for a job, several for an array. */
function summary(before: Row, rows: QueuedJob[], now: number): Seen {
  const seen = stateOf(before, rows, now)
  return { ...seen, tasks: taskStates(before, rows, seen.ended_at === null ? null : seen.state) }
}

/** Whether the resource manager accepted our request to cancel it. */
const isCanceled = ({ cancel_asked_at, next_try_at }: Row): boolean =>
  cancel_asked_at !== null && next_try_at === null

function stateOf(before: Row, rows: QueuedJob[], now: number): Omit<Seen, 'tasks'> {
  const ended = rows.filter((row) => row.state === 'completed')
  const bad = ended.find((row) => row.ending !== undefined && row.ending !== 'succeeded')
  // The exit code of a failed task is kept, because resource managers forget tasks that ended early.
  const exit_code = code(bad?.exitCode) ?? before.exit_code
  const nodes = [...new Set(rows.map((row) => row.nodeList).filter(Boolean))].join(',')
  const shared = {
    started_at: date(least(rows.map((row) => row.startTime))) ?? before.started_at,
    node_list: (nodes.length <= NODE_LIST_MAX && nodes) || before.node_list,
  }
  const nothing = { ended_at: null, exit_code, usage: undefined }
  if (rows.some((row) => row.state === 'running'))
    return { state: 'running', reason: null, ...shared, ...nothing }
  const first = rows.find((row) => row.state === 'queued' || row.state === 'blocked')
  if (first)
    return {
      state: first.state === 'blocked' ? 'blocked' : 'queued',
      reason: first.reason || null,
      ...shared,
      ...nothing,
    }
  // If a node's daemon was restarted before the job was canceled, Torque reports exit code 0.
  const canceled = isCanceled(before)
  const forgotten = bad === undefined && exit_code !== null && exit_code !== 0
  return {
    ...shared,
    state: canceled ? 'canceled' : forgotten ? 'failed' : endings[bad?.ending ?? 'succeeded'],
    reason:
      bad?.reason ||
      (canceled ? 'Canceled' : null) ||
      (forgotten ? `A task ended with exit code ${exit_code}` : null),
    ended_at:
      date(most(ended.map((row) => row.endTime))) ??
      date(estimatedEnd(shared.started_at, ended)) ??
      new Date(now),
    exit_code: exit_code ?? code(most(ended.map((row) => row.exitCode))),
    usage: usageOf(ended),
  }
}

/** The end computed from the run time, for logs that lack the time of the end. */
function estimatedEnd(startedAt: Date | null, ended: QueuedJob[]): number | undefined {
  const wallS = most(ended.map((row) => row.used?.wallS))
  return startedAt && wallS !== undefined ? startedAt.getTime() + wallS * 1000 : undefined
}

function usageOf(ended: QueuedJob[]): Seen['usage'] {
  const used = ended.flatMap((row) => (row.used ? [row.used] : []))
  if (used.length === 0) return undefined
  const cpu = known(used.map((one) => one.cpuS))
  return {
    cpuSeconds: cpu.length > 0 ? cpu.reduce((sum, one) => sum + one, 0) : null,
    memoryMb: most(used.map((one) => one.memoryMb)) ?? null,
    wallSeconds: most(used.map((one) => one.wallS)) ?? null,
  }
}

const same = (row: Row, seen: Seen, nativeId: string | null): boolean =>
  row.native_id === nativeId &&
  row.state === seen.state &&
  row.reason === seen.reason &&
  row.node_list === seen.node_list &&
  row.exit_code === seen.exit_code &&
  row.tasks === seen.tasks &&
  row.started_at?.getTime() === seen.started_at?.getTime() &&
  row.ended_at?.getTime() === seen.ended_at?.getTime()

/**
 * Indexes the rows of the queue by number and mark, so that ten thousand rows are iterated only once. The number has
 * priority: jobs that a job submits itself inherit its mark, and anyone can write a mark.
 */
function byName(queue: QueuedJob[]): (row: Row) => QueuedJob[] {
  const numbered = new Map<string, QueuedJob[]>()
  const marked = new Map<string, QueuedJob[]>()
  const add = (map: Map<string, QueuedJob[]>, key: string, job: QueuedJob) => {
    const others = map.get(key)
    if (others) others.push(job)
    else map.set(key, [job])
  }
  for (const job of queue) {
    add(numbered, numberOf(job), job)
    if (job.mark !== undefined && isJobId(numberOf(job))) add(marked, job.mark, job)
  }
  return (row) => {
    const { id, native_id, run_as_admin, account } = row
    // A reinstalled resource manager starts its numbers over, so this number may belong to another user's job.
    if (native_id !== null) return (numbered.get(native_id) ?? []).filter((job) => isOurs(job, row))
    // Marks count only for jobs of the user's own account; jobs run as admin are found when they are reconciled.
    if (run_as_admin) return []
    const own = (marked.get(id) ?? []).filter(
      (job) => isSameAccount(job.user, account) && (job.reportedBy ?? row.user_id) === row.user_id,
    )
    const [first] = own
    // The first of several is the job itself; jobs that it submits come later.
    return first ? own.filter((job) => numberOf(job) === numberOf(first)) : []
  }
}

/** Tracks our submissions in the queues that the poller reads. */
export function makeTracker(db: Database, clusterAccess: ClusterAccess, now: () => number) {
  const missing = new Map<string, { since: number; queriedAt: number; pauseMs: number }>()

  type Update = { row: Row; seen: Seen; nativeId?: string | null }
  /** Saves all changed submissions in one transaction. */
  const save = async (all: Update[]): Promise<void> => {
    for (const { row } of all) missing.delete(row.id)
    const news = all.filter(({ row, seen, nativeId = row.native_id }) => !same(row, seen, nativeId))
    if (news.length === 0) return
    await db.transaction(async (tx) => {
      const rows = news.map(({ row, seen, nativeId = row.native_id }) => ({
        id: row.id,
        native_id: nativeId,
        ...seen,
      }))
      const saved = new Set(await store.saveProgress(tx, rows))
      const owners = news.filter(({ row }) => saved.has(row.id)).map(({ row }) => row.owner_id)
      for (const owner of new Set(owners)) await notifyJobsChanged(tx, owner)
    })
  }
  const lost = (row: Row, reason: string, state: 'lost' | 'canceled' = 'lost'): Update => ({
    row,
    seen: {
      state,
      reason,
      ended_at: new Date(now()),
      usage: undefined,
      started_at: row.started_at,
      exit_code: row.exit_code,
      node_list: row.node_list,
      tasks: taskStates(row, [], state),
    },
  })

  /** Reads the ends of jobs that left the queue from the history of the resource manager. */
  const readHistory = async (clusterId: string, rows: Row[]): Promise<void> => {
    // A job that arrived while the queue was being read is missing from it, so only a second miss leads to a query.
    const isNew = ({ id }: Row) => !missing.has(id)
    const due = rows
      .filter(({ id }) => {
        const last = missing.get(id)
        return last && now() - last.queriedAt >= last.pauseMs
      })
      .slice(0, QUERIED_AT_ONCE)
    for (const { id } of rows.filter(isNew))
      missing.set(id, { since: now(), queriedAt: 0, pauseMs: HISTORY_MS })
    const { found, unqueried } = await readPast(clusterAccess, clusterId, due)
    await save(
      due.flatMap((row) => {
        const jobs = found.get(row.id)
        return jobs ? [{ row, seen: summary(row, jobs, now()) }] : []
      }),
    )
    const left = due.filter(({ id }) => !found.has(id))
    // Includes jobs that are still running but visible only to their own account.
    for (const { id } of due) {
      const { since = now(), pauseMs = HISTORY_MS } = missing.get(id) ?? {}
      const pause = unqueried.has(id) ? Math.min(2 * pauseMs, REFUSED_MS) : HISTORY_MS
      missing.set(id, { since, queriedAt: now(), pauseMs: pause })
    }
    const forgotten = left.filter((row) => {
      const usual = isCanceled(row) ? CANCELED_AFTER_MS : LOST_AFTER_MS
      const lostAfterMs = unqueried.has(row.id) ? UNQUERIED_LOST_AFTER_MS : usual
      return now() - (missing.get(row.id)?.since ?? now()) >= lostAfterMs
    })
    const why = 'The job is no longer in the queue, and the resource manager has no record of how it ended'
    await save(forgotten.map((row) => (isCanceled(row) ? lost(row, 'Canceled', 'canceled') : lost(row, why))))
  }

  return {
    /** Matches the jobs in the queue to our submissions by account and number. */
    async onQueue(clusterId: string, queue: QueuedJob[]) {
      const rows = await store.inProgress(db, clusterId)
      const rowsOf = byName(queue)
      const gone: Row[] = []
      const there: Update[] = []
      const links = new Map<string, { submissionId: string; jobId: string }>()
      for (const row of rows) {
        const ours = rowsOf(row)
        const [first] = ours
        if (first) {
          there.push({
            row,
            seen: summary(row, ours, now()),
            nativeId: row.native_id ?? numberOf(first),
          })
          links.set(ownedNumber(first), { submissionId: row.id, jobId: row.job_id })
        } else if (row.native_id !== null) gone.push(row)
      }
      await save(there)
      await readHistory(clusterId, gone)
      const marked = queue.filter((job) => job.mark !== undefined && !links.has(ownedNumber(job)))
      const marks = new Set(marked.flatMap(({ mark }) => mark ?? []))
      const found = await store.submissionsWithIds(db.kysely, clusterId, [...marks])
      const ended = new Map(found.map((row) => [row.id, row]))
      for (const job of marked) {
        const row = ended.get(job.mark ?? '')
        if (row?.native_id === numberOf(job) && isOurs(job, row))
          links.set(ownedNumber(job), { submissionId: row.id, jobId: row.job_id })
      }
      return links
    },
    /** This cluster will no longer be polled. */
    async onDetached(clusterId: string): Promise<void> {
      const why = 'The cluster was detached while the job was on it, so its outcome is unknown'
      await save((await store.inProgress(db, clusterId)).map((row) => lost(row, why)))
    },
  }
}
