import type { JobMail, Notifications } from '@flotilla/contract/site/notifications'
import { changesOf } from '../../changes'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import type { QueueMail } from '../../mail/tasks'
import { record } from '../activities/activities'
import { endedMail } from './mails'
import * as store from './store'

/** After a longer downtime, jobs that ended before this are not reported. */
const REPORTED_MS = 2 * 24 * 60 * 60_000

export type Options = {
  db: Database
  queueMail: QueueMail
  siteUrl: () => Promise<string>
  /** The address of the mail server; undefined if there is none. */
  mailAddress: () => Promise<string | undefined>
  now: () => number
}

export function makeNotifications({ db, queueMail, siteUrl, mailAddress, now }: Options) {
  const view = async (me: Caller): Promise<Notifications> => {
    const choice = (await store.choice(db.kysely, me.id)) ?? fail('not_found')
    return { ...choice, delivered: (await mailAddress()) !== undefined }
  }
  return {
    view,
    async set(me: Caller, jobs: JobMail, context: RequestContext): Promise<Notifications> {
      await context.transaction(async (tx) => {
        const before = await store.choice(tx, me.id)
        const changes = changesOf(
          { 'email about ended jobs': before?.jobs },
          { 'email about ended jobs': jobs },
        )
        if (changes.length === 0) return
        await store.choose(tx, me.id, jobs, new Date(now()))
        await record(tx, me, context, {
          action: 'notifications changed',
          subject: { kind: 'user', id: me.id, name: me.username },
          changes,
        })
      })
      return view(me)
    },
    /** Sends one email to each user whose jobs have ended since the last one. */
    async report(): Promise<void> {
      const from = new Date(now() - REPORTED_MS)
      await db.transaction(async (tx) => {
        const ended = await store.unreported(tx, from, new Date(now()))
        if (ended.length === 0) return
        const site = await siteUrl()
        const people = new Map(ended.map((job) => [job.user_id, job]))
        for (const [id, person] of people) {
          const theirs = ended.filter(({ user_id }) => user_id === id)
          await queueMail(tx, endedMail(person, theirs, site))
        }
        await store.markReported(
          tx,
          ended.map(({ id }) => id),
        )
        await store.forgetReported(tx, from)
      })
    },
  }
}
