import * as z from 'zod/mini'
import type { User } from '@flotilla/contract/people/users'
import type { Database, Transaction } from '../../../db/database'
import { publish, userRoom } from '../../../live/live'
import type { Queue } from '../../../queue/queue'
import { defineTask, handle } from '../../../queue/task'
import type { Sessions } from '../../sessions/sessions'
import * as store from '../store'

const endTask = defineTask('end-timed-account', z.object({ user: z.string() }))

/** Must be called before the end time is changed, because that closes the sockets of an account that has ended. */
export type ScheduleEnd = (
  tx: Transaction,
  person: Pick<User, 'id' | 'username'>,
  endTime: number | null | undefined,
) => Promise<void>
type Options = { db: Database; queue: Queue; sessions: Sessions; now: () => number }

/**
 * Accounts with an end time, such as those of a public demo: when it comes, their browsers are notified and their
 * sessions end.
 */
export function makeTimed({ db, queue, sessions, now }: Options) {
  const scheduleEnd: ScheduleEnd = async (tx, person, endTime) => {
    if (typeof endTime !== 'number') return
    // Sessions past their end time expire on their own, so that a request in flight fails because its session expired.
    if (endTime <= now()) return announceEnd(tx, person)
    const options = { runAt: new Date(endTime), key: `end of account ${person.id}` }
    await queue.add(tx, endTask, { user: person.id }, options)
  }
  const announceEnd = (tx: Transaction, { id, username }: Pick<User, 'id' | 'username'>) =>
    publish(tx, [userRoom(id)], { event: 'publicDemoSessionIsEnding', data: { username } })
  const end = async (userId: string): Promise<void> => {
    await db.transaction(async (tx) => {
      const person = await store.find(tx, userId)
      // The end time may have been changed since. Participants end with their workshop.
      if (!person || person.endTime === null || person.endTime > now() || person.participant) return
      await announceEnd(tx, person)
      await sessions.endAll(tx, userId)
    })
    sessions.forget(userId)
  }
  return { scheduleEnd, handler: handle(endTask, ({ user }) => end(user)) }
}
