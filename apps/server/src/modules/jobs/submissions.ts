import * as z from 'zod/mini'
import type { Submission } from '@flotilla/contract/jobs'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import type { Queue } from '../../queue/queue'
import { defineTask, handle, type Handler } from '../../queue/task'
import { record } from '../activities/activities'
import type { Reaching } from '../clusters/clusters'
import { tellJobsChanged, type Jobs } from './jobs'
import { makeSending } from './send'
import * as store from './store'
import { asSubmission } from './view'

type Row = store.FoundSubmission
const settleTask = defineTask('settle-submission', z.object({ submission: z.string() }))
/** When a submit of unknown outcome is looked into for the first time, and how often then. */
const SETTLE_MS = 10_000
const ATTEMPTS = 12

type Options = { db: Database; jobs: Jobs; reaching: Reaching; queue: Queue; now: () => number }
type Asked = { id: string; cluster: string; runAsAdmin: boolean; key?: string }

const isDuplicate = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === '23505'

export type Submissions = ReturnType<typeof makeSubmissions>
export function makeSubmissions({ db, jobs, reaching, queue, now }: Options) {
  const sending = makeSending({ db, reaching, now })

  const find = async (me: Caller, id: string): Promise<Row> => {
    const row = (await store.submission(db.kysely, id)) ?? fail('not_found')
    await jobs.find(me, row.job_id)
    return row
  }
  const reread = async (id: string): Promise<Submission> =>
    asSubmission((await store.submission(db.kysely, id)) ?? fail('not_found'))

  /** What the same key asked for before, if it was the same. */
  const before = async (me: Caller, { id, cluster, key }: Asked): Promise<Submission | null> => {
    const row = key === undefined ? undefined : await store.submissionByKey(db.kysely, me.id, key)
    if (!row) return null
    if (row.job_id !== id || row.cluster_id !== cluster)
      fail('bad_input', { fields: { key: 'was used for another submission' } })
    return asSubmission(row)
  }

  return {
    find,
    view: async (me: Caller, id: string): Promise<Submission> => asSubmission(await find(me, id)),

    async submit(me: Caller, asked: Asked, context: RequestContext): Promise<Submission> {
      if (asked.runAsAdmin && !me.role.includes('admin'))
        fail('forbidden', { message: 'Only admins run jobs as the admin account' })
      const done = await before(me, asked)
      if (done) return done
      const job = await jobs.find(me, asked.id)
      const cluster = await reaching.forSubmitting(me, asked.cluster)
      const id = newId()
      try {
        await db.transaction(async (tx) => {
          await store.insertSubmission(tx, {
            id,
            job_id: job.id,
            job_name: job.name,
            cluster_id: cluster.id,
            cluster_name: cluster.name,
            user_id: me.id,
            submitted_by: me.username,
            run_as_admin: asked.runAsAdmin,
            account: asked.runAsAdmin ? 'admin' : me.username,
            request_key: asked.key ?? null,
            state: 'submitting',
            submitted_at: new Date(now()),
            data: JSON.stringify(job.data),
            folder: `flotilla/${job.name.replace(/[^\w.-]+/g, '_')}-${id}`,
          })
          await record(tx, me, context, {
            action: asked.runAsAdmin ? 'job submitted as admin' : 'job submitted',
            subject: `job ${job.name}`,
            detail: cluster.name,
            clusterId: cluster.id,
          })
          // Should this server die at the next line, somebody looks into it.
          const options = { runAt: new Date(now() + SETTLE_MS), key: `settle ${id}`, maxAttempts: ATTEMPTS }
          await queue.add(tx, settleTask, { submission: id }, options)
          await tellJobsChanged(tx, job.owner_id)
        })
      } catch (error) {
        // The same key came twice at once, and the other was first.
        const other = isDuplicate(error) ? await before(me, asked) : null
        if (other) return other
        throw error
      }
      await reaching.refusing(sending.send((await store.submission(db.kysely, id)) ?? fail('not_found')))
      return reread(id)
    },

    async cancel(me: Caller, id: string, clusterId: string, context: RequestContext): Promise<Submission> {
      const row = await find(me, id)
      await jobs.mine(me, row.job_id, context)
      if (row.cluster_id !== clusterId) fail('not_found')
      if (row.ended_at !== null) fail('wrong_state', { message: `The job has ended already (${row.state})` })
      await sending.cancel(row)
      await db.transaction((tx) =>
        record(tx, me, context, {
          action: 'job cancelled',
          subject: `job ${row.job_name}`,
          detail: row.cluster_name,
          clusterId,
        }),
      )
      reaching.kick(clusterId)
      return reread(id)
    },

    settleHandler: (): Handler =>
      handle(settleTask, async ({ submission }, { lastAttempt }) => {
        const runAt = await sending.settle(submission, lastAttempt)
        const options = { runAt: runAt ?? undefined, maxAttempts: ATTEMPTS }
        if (runAt) await db.transaction((tx) => queue.add(tx, settleTask, { submission }, options))
      }),
  }
}
