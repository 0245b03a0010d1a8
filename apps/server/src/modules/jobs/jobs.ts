import type { Logger } from 'pino'
import type * as z from 'zod/mini'
import type { Manager } from '@flotilla/contract/clusters/inputs'
import type { Job, JobInput, JobUpdate, Submission } from '@flotilla/contract/jobs/jobs'
import type { Page } from '@flotilla/contract/lists'
import { changesOf } from '../../changes'
import { readPage } from '../../db/cursors'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import { schedulerFor } from '../../schedulers/registry'
import { record, subjectOf } from '../activities/activities'
import { finders, notifyPeople, visiblePage } from '../sharing/sharing'
import * as store from './store'
import { asJob, asSubmission } from './view'

export const notifyJobsChanged = (tx: Transaction, userId: string) => notifyPeople(tx, 'queuedjobs', [userId])

/** How long a notification may wait, so that a hundred submissions are announced at once. */
const BATCH_MS = 100

/**
 * Notifies users shortly after the change, outside its transaction. If the server dies in between, its own browsers
 * reconnect and refetch, and those of other servers are notified with the job's next change.
 */
export function makeNotifier(db: Database, log: Logger): (...userIds: string[]) => void {
  const waiting = new Set<string>()
  const notify = async (): Promise<void> => {
    const people = [...waiting]
    waiting.clear()
    await notifyPeople(db.kysely, 'queuedjobs', people)
  }
  return (...userIds) => {
    if (waiting.size === 0)
      setTimeout(
        () => void notify().catch((error: unknown) => log.warn({ err: error }, 'users were not notified')),
        BATCH_MS,
      )
    for (const userId of userIds) waiting.add(userId)
  }
}

export type Jobs = ReturnType<typeof makeJobs>
export function makeJobs(db: Database, now: () => number) {
  const { find, mine } = finders('job', (id, viewer) => store.find(db, id, viewer))
  const view = async (me: Caller, id: string): Promise<Job> => {
    const [job, [last]] = await Promise.all([find(me, id), store.lastSubmissions(db.kysely, [id])])
    return asJob(job, last)
  }

  return {
    find,
    mine,
    view,
    async list(me: Caller, page: Page): Promise<{ items: Job[]; next: string | null }> {
      const { items, next } = await visiblePage(db.kysely, me, page, store.list)
      const last = new Map(
        (
          await store.lastSubmissions(
            db.kysely,
            items.map(({ id }) => id),
          )
        ).map((row) => [row.job_id, row]),
      )
      return { items: items.map((row) => asJob(row, last.get(row.id))), next }
    },
    async create(me: Caller, input: z.output<typeof JobInput>, context: RequestContext): Promise<Job> {
      const id = newId()
      const at = new Date(now())
      await context.transaction(async (tx) => {
        await store.insert(tx, {
          id,
          owner_id: me.id,
          name: input.name,
          description: input.description,
          data: JSON.stringify(input.data),
          created_at: at,
          updated_at: at,
        })
        await record(tx, me, context, { action: 'job saved', subject: { kind: 'job', id, name: input.name } })
        await notifyJobsChanged(tx, me.id)
      })
      return view(me, id)
    },
    async update(me: Caller, input: z.output<typeof JobUpdate>, context: RequestContext): Promise<Job> {
      const job = await mine(me, input.id, context)
      await context.transaction(async (tx) => {
        await store.update(tx, input.id, {
          name: input.name,
          description: input.description,
          data: JSON.stringify(input.data),
          updated_at: new Date(now()),
        })
        const { name, description, data } = job
        await record(tx, me, context, {
          action: 'job updated',
          subject: subjectOf('job', input),
          changes: changesOf(
            { name, description, data },
            { name: input.name, description: input.description, data: input.data },
          ),
        })
        await notifyJobsChanged(tx, job.owner_id)
      })
      return view(me, input.id)
    },
    async remove(me: Caller, id: string, context: RequestContext): Promise<void> {
      const job = await mine(me, id, context)
      await context.transaction(async (tx) => {
        // A concurrent submission has to wait and then finds that the job is gone.
        await store.lock(tx, id)
        if (await store.isInProgress(tx, id))
          fail('wrong_state', { message: 'The job is still on a cluster. Cancel it first.' })
        await store.remove(tx, id)
        await record(tx, me, context, { action: 'job deleted', subject: subjectOf('job', job) })
        await notifyJobsChanged(tx, job.owner_id)
      })
    },
    async submissions(
      me: Caller,
      id: string,
      page: Page,
    ): Promise<{ items: Submission[]; next: string | null }> {
      await find(me, id)
      const { items, next } = await readPage(
        page,
        (limit, after) => store.submissions(db.kysely, id, limit, after),
        (row) => ({ at: row.submitted_at, id: row.id }),
      )
      return { items: items.map(asSubmission), next }
    },
    /** The script as the resource manager gets it, with example paths for output. */
    preview: (input: z.output<typeof JobInput>, manager: Manager): string => {
      const { array, ...data } = input.data
      return schedulerFor(manager).preview({
        name: input.name,
        ...data,
        ...(array && { array }),
        workdir: '/home/you/flotilla/job',
        stdoutPath: '/home/you/flotilla/job/output.txt',
      })
    },
  }
}
