import * as z from 'zod/mini'
import type { Database, Transaction } from '../../db/database'
import { publish, userRoom } from '../../live/live'
import type { Queue } from '../../queue/queue'
import { defineTask, handle } from '../../queue/task'
import type { Sessions } from '../sessions/sessions'
import * as store from './store'

const endTask = defineTask('end-timed-account', z.object({ user: z.string() }))

export type ScheduleEnd = (
  tx: Transaction,
  userId: string,
  endTime: number | null | undefined,
) => Promise<void>
type Options = { db: Database; queue: Queue; sessions: Sessions; now: () => number }

/** Accounts with an end, such as those of a public demo: their browsers are told when it comes, and their sessions end. */
export function makeTimed({ db, queue, sessions, now }: Options) {
  const scheduleEnd: ScheduleEnd = async (tx, userId, endTime) => {
    if (typeof endTime !== 'number') return
    const options = { runAt: new Date(endTime), key: `end of account ${userId}` }
    await queue.add(tx, endTask, { user: userId }, options)
  }
  const end = async (userId: string): Promise<void> => {
    await db.transaction(async (tx) => {
      const person = await store.find(tx, userId)
      // Someone may have moved the end since. Participants end with their workshop.
      if (!person || person.endTime === null || person.endTime > now() || person.participant) return
      const { username } = person
      await publish(tx, [userRoom(userId)], { event: 'publicDemoSessionIsEnding', data: { username } })
      await sessions.endAll(tx, userId)
    })
    sessions.forget(userId)
  }
  return { scheduleEnd, handler: handle(endTask, ({ user }) => end(user)) }
}
