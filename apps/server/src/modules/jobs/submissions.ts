import * as z from 'zod/mini'
import { isAdmin } from '@flotilla/contract/access'
import type { Manager } from '@flotilla/contract/clusters/inputs'
import { scriptArray } from '@flotilla/contract/jobs/directives'
import type { JobData, Submission, TaskGroup } from '@flotilla/contract/jobs/jobs'
import { messages } from '@flotilla/contract/messages'
import { isDuplicate, isMissingReference } from '../../db/connection/rejected'
import type { Database, Transaction } from '../../db/database'
import { explain } from '../../explain'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import type { Queue } from '../../queue/queue'
import { defineTask, handle, type Handler } from '../../queue/task'
import { lineOf, record, subjectOf } from '../activities/activities'
import type { ClusterAccess } from '../clusters/open'
import { makeCanceling } from './cancel'
import type { Jobs, makeNotifier } from './jobs'
import { makeSending } from './send'
import * as store from './store'
import { taskGroups } from './tasks'
import { asSubmission } from './view'

type Row = store.FoundSubmission
type FoundCluster = Awaited<ReturnType<ClusterAccess['forSubmitting']>>
const reconcileTask = defineTask('settle-submission', z.object({ submission: z.string() }))
const cancelTask = defineTask('cancel-submission', z.object({ submission: z.string() }))
/** How long a submission may be in flight before it is reconciled, and how often after that. */
const RECONCILE_MS = 10_000
const ATTEMPTS = 12

type Options = {
  db: Database
  jobs: Jobs
  clusterAccess: ClusterAccess
  queue: Queue
  notifySoon: ReturnType<typeof makeNotifier>
  now: () => number
}
type SubmitRequest = { id: string; cluster: string; runAsAdmin: boolean; seen?: number; key?: string }

type Found = { job: store.FoundJob; cluster: FoundCluster }
/** The limits of the cache of jobs and clusters for repeated submissions. */
const RECENT = 100
const RECENT_BYTES = 20_000

/** The job with the array tasks from its script if the form has none, so that each task is tracked. */
const asSubmitted = (data: JobData, manager: Manager): JobData => ({
  ...data,
  array: data.array || scriptArray(data.script, manager),
})

export type Submissions = ReturnType<typeof makeSubmissions>
export function makeSubmissions({ db, jobs, clusterAccess, queue, notifySoon, now }: Options) {
  const reconcileSoon = (tx: Transaction, submission: string, runAt?: Date): Promise<void> =>
    queue.add(
      tx,
      reconcileTask,
      { submission },
      { runAt, key: `settle ${submission}`, maxAttempts: ATTEMPTS },
    )
  const reconcileLater = (tx: Transaction, id: string, at = new Date(now() + RECONCILE_MS)) =>
    reconcileSoon(tx, id, at)
  const sending = makeSending({ db, clusterAccess, reconcileLater, notifySoon, now })
  const cancelAt = (tx: Transaction, submission: string, runAt: Date): Promise<void> =>
    queue.add(tx, cancelTask, { submission }, { runAt, key: `cancel ${submission}` })
  const canceling = makeCanceling({ db, clusterAccess, sending, cancelAt, now })
  /** Recent submissions' jobs and clusters, by user, roles, job and cluster. */
  const recent = new Map<string, Found>()
  /** The submissions that this server has queued since it became the leader. */
  const adopted = new Set<string>()

  const newSubmission = async (me: Caller, request: SubmitRequest, { job, cluster }: Found): Promise<Row> => {
    const id = newId()
    return {
      id,
      job_id: job.id,
      job_name: job.name,
      cluster_id: cluster.id,
      cluster_name: cluster.name,
      user_id: me.id,
      submitted_by: me.username,
      run_as_admin: request.runAsAdmin,
      account: request.runAsAdmin ? 'admin' : await clusterAccess.accountName(me, cluster),
      request_key: request.key ?? null,
      native_id: null,
      state: 'submitting',
      reason: null,
      submitted_at: new Date(now()),
      sent_at: null,
      tries: 0,
      next_try_at: null,
      retry_reason: null,
      cancel_asked_at: null,
      started_at: null,
      ended_at: null,
      exit_code: null,
      node_list: null,
      usage: null,
      tasks: null,
      data: asSubmitted(job.data, clusterAccess.managerOf(cluster)),
      folder: `flotilla/${job.name.replace(/[^\w.-]+/g, '_')}-${id}`,
    }
  }

  const find = async (me: Caller, id: string): Promise<Row> => {
    const row = (await store.submission(db.kysely, id)) ?? fail('not_found')
    await jobs.find(me, row.job_id)
    return row
  }
  const reread = async (id: string): Promise<Submission> =>
    asSubmission((await store.submission(db.kysely, id)) ?? fail('not_found'))

  /** The earlier submission with this key. Fails if it was for another job or cluster. */
  const before = async (me: Caller, { id, cluster, key }: SubmitRequest): Promise<Submission | null> => {
    const row = key === undefined ? undefined : await store.submissionByKey(db.kysely, me.id, key)
    if (!row) return null
    if (row.job_id !== id || row.cluster_id !== cluster)
      fail('bad_input', { fields: { key: 'was used for another submission' } })
    return asSubmission(row)
  }

  /** Stores the submission if job and cluster are unchanged since they were read, and sends it. */
  const begin = async (
    me: Caller,
    request: SubmitRequest,
    { job, cluster }: Found,
    context: RequestContext,
  ) => {
    // Its owner may have changed it since.
    if (request.runAsAdmin && job.owner_id !== me.id && request.seen !== job.updated_at.getTime())
      fail('wrong_state', {
        message: `${job.owner} has changed this job since you opened it. Review it before you run it as admin.`,
      })
    const row = await newSubmission(me, request, { job, cluster })
    const line = lineOf(me, context, {
      action: request.runAsAdmin ? 'job submitted as admin' : 'job submitted',
      subject: subjectOf('job', job),
      // The job and its owner can change later, but the submission keeps what ran.
      detail: request.runAsAdmin ? `${cluster.name}, submission ${row.id}` : cluster.name,
      clusterId: cluster.id,
    })
    const seen = { job, cluster: clusterAccess.fingerprintOf(me, cluster) }
    const inserted = store
      .insertSubmission(db, row, line, seen, context.claim())
      .catch((error: unknown) => (isMissingReference(error) ? false : Promise.reject(error)))
    const written = inserted.then(
      (isInserted) => isInserted || Promise.reject(new Error('Changed since you opened it')),
    )
    // Nothing is sent before the submission is on disk.
    const sent = sending.send(row, written, cluster)
    // Callers handle failures when they await these promises, which may fail earlier.
    for (const each of [written, sent]) each.catch(() => {})
    if (await inserted) return { sent, owner: job.owner_id }
    // The user's rights may have changed instead of the job or the cluster.
    await context.recheck()
    return null
  }

  /** Submits from the cache without reading job and cluster; the insert checks whether they are unchanged. */
  const again = async (place: string, me: Caller, request: SubmitRequest, context: RequestContext) => {
    const known = recent.get(place)
    if (!known) return null
    const mayStill = await clusterAccess.forSubmitting(me, known.cluster).catch(() => null)
    const begun = mayStill && (await begin(me, request, known, context))
    if (!begun) recent.delete(place)
    return begun
  }
  const remember = (place: string, found: Found): void => {
    const [oldest = ''] = recent.keys()
    if (recent.size >= RECENT) recent.delete(oldest)
    recent.set(place, found)
  }

  const lookUpAndBegin = async (
    place: string,
    me: Caller,
    request: SubmitRequest,
    context: RequestContext,
  ) => {
    // All queries run concurrently. A repeated request gets the same reply, even if job or cluster changed since.
    const found = Promise.all([jobs.find(me, request.id), clusterAccess.forSubmitting(me, request.cluster)])
    found.catch(() => {})
    const done = await before(me, request)
    if (done) return { done }
    const [job, cluster] = await found
    const begun = await begin(me, request, { job, cluster }, context)
    if (begun && JSON.stringify(job.data).length < RECENT_BYTES) remember(place, { job, cluster })
    return begun
  }

  const cancelNow = async (
    me: Caller,
    row: store.FoundSubmission,
    context: RequestContext,
    purge = false,
  ): Promise<void> => {
    await (purge ? canceling.purge(row, me, context) : canceling.cancel(row, context))
    await db.transaction((tx) =>
      record(tx, me, context, {
        action: purge ? 'job purged' : 'job canceled',
        subject: { kind: 'job', id: row.job_id, name: row.job_name },
        detail: row.cluster_name,
        ...(row.cluster_id !== null && { clusterId: row.cluster_id }),
      }),
    )
    if (row.cluster_id !== null) clusterAccess.kick(row.cluster_id)
  }

  return {
    find,
    async tasks(me: Caller, id: string): Promise<TaskGroup[]> {
      const { data, tasks, state } = await find(me, id)
      return taskGroups(data.array, tasks, state)
    },
    view: async (me: Caller, id: string): Promise<Submission> => asSubmission(await find(me, id)),

    async submit(me: Caller, request: SubmitRequest, context: RequestContext): Promise<Submission> {
      if (request.runAsAdmin && !isAdmin(me))
        fail('forbidden', { message: 'Only admins can run jobs as the admin account' })
      if (request.runAsAdmin) await context.requireConfirmation()
      const place = [me.id, ...me.role, request.id, request.cluster].join()
      try {
        const begun =
          (await again(place, me, request, context)) ??
          (await lookUpAndBegin(place, me, request, context)) ??
          // The job or the cluster changed just after it was read.
          (await lookUpAndBegin(place, me, request, context)) ??
          fail('wrong_state', { message: 'The job or the cluster is being changed. Try again.' })
        if ('done' in begun) return begun.done
        notifySoon(begun.owner, me.id)
        return asSubmission(await clusterAccess.withUserFacingErrors(begun.sent))
      } catch (error) {
        // A concurrent request with the same key was first.
        const other = isDuplicate(error) ? await before(me, request) : null
        if (other) return other
        throw error
      }
    },

    /**
     * Schedules the reconciliation of every submission that has been in flight for too long: its sender has died or
     * did not learn the outcome. The row itself records that it is open, so nothing else is written per submission.
     */
    async adopt(): Promise<void> {
      const open = await store.unconfirmed(db.kysely, new Date(now() - RECONCILE_MS))
      for (const id of adopted) if (!open.includes(id)) adopted.delete(id)
      for (const id of open.filter((each) => !adopted.has(each))) {
        await db.transaction((tx) => reconcileSoon(tx, id))
        adopted.add(id)
      }
    },

    async cancel(
      me: Caller,
      { job: id, cluster: clusterId, purge }: { job: string; cluster: string; purge: boolean },
      context: RequestContext,
    ): Promise<Submission> {
      if (purge && !isAdmin(me)) fail('forbidden', { message: messages.onlyAdminsPurge })
      const row = await find(me, id)
      await jobs.mine(me, row.job_id, context)
      if (row.cluster_id !== clusterId) fail('not_found')
      if (row.ended_at !== null) fail('wrong_state', { message: `The job has already ended (${row.state})` })
      await cancelNow(me, row, context, purge)
      return reread(id)
    },

    /** A user's running and waiting jobs, except apps, which are listed separately. */
    running: (userId: string) => store.runningOf(db.kysely, userId),
    /** Cancels all jobs of a user before the user is removed, while the account is still theirs. */
    async cancelAll(me: Caller, userId: string, context: RequestContext): Promise<void> {
      const rows = await store.runningOf(db.kysely, userId)
      const done = await Promise.allSettled(rows.map((row) => cancelNow(me, row, context)))
      const failed = rows.flatMap(({ job_name, cluster_name }, at) => {
        const result = done[at]
        return result?.status === 'rejected'
          ? [`${job_name} on ${cluster_name} (${explain(result.reason)})`]
          : []
      })
      if (failed.length > 0)
        fail('wrong_state', {
          message: `The user was not removed, because these jobs could not be canceled: ${failed.join(', ')}. Try again, or let them finish.`,
        })
    },

    handlers: (): Handler[] => [
      handle(reconcileTask, async ({ submission }, { lastAttempt }) => {
        const runAt = await sending.reconcile(submission, lastAttempt)
        if (runAt) await db.transaction((tx) => reconcileSoon(tx, submission, runAt))
      }),
      handle(cancelTask, async ({ submission }) => {
        const runAt = await canceling.retry(submission)
        if (runAt) await db.transaction((tx) => cancelAt(tx, submission, runAt))
      }),
    ],
  }
}
