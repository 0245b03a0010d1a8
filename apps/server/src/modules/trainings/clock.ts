import * as z from 'zod/mini'
import type { Database, Transaction } from '../../db/database'
import { publish, userRoom } from '../../live/live'
import type { Queue } from '../../queue/queue'
import { defineTask, handle } from '../../queue/task'
import { notifyInstructors } from './notify'
import * as seats from './seats/store'
import * as store from './store'

const clockTask = defineTask('training-clock', z.object({ training: z.string() }))

/** Schedules the clock task for a time at which sessions end. It replaces the task that was scheduled before. */
export const scheduleClock = (tx: Transaction, queue: Queue, trainingId: string, at: Date): Promise<void> =>
  queue.add(tx, clockTask, { training: trainingId }, { runAt: at, key: `training clock ${trainingId}` })

type Account = Awaited<ReturnType<typeof seats.accounts>>[number]

/** Notifies the browsers of these people, then ends all of their sessions, including tokens and sockets. */
export async function endSessionsOf(tx: Transaction, trainingId: string, people: Account[]): Promise<void> {
  const ids = people.map(({ id }) => id)
  if (ids.length === 0) return
  // Uses the code that each account joined with, because the code may have been renewed since.
  const codes = new Set(people.map(({ session_code }) => session_code ?? ''))
  for (const sessionCode of codes) {
    const rooms = people.filter((one) => one.session_code === sessionCode).map(({ id }) => userRoom(id))
    await publish(tx, rooms, { event: 'trainingSessionIsEnding', data: { sessionCode, trainingId } })
  }
  await seats.endSessions(tx, ids)
}

type Options = {
  db: Database
  queue: Queue
  /** Starts the teardown in the transaction that ends the workshop. */
  tearDown(tx: Transaction, training: store.FoundTraining): Promise<void>
  endPrograms(userIds: string[]): Promise<unknown>
  now: () => number
}

/** Ends sessions when their time is over, and the workshop after the last of them. Also works after a restart. */
export function makeClock({ db, queue, tearDown, endPrograms, now }: Options) {
  /** Ends the sessions whose time is over. Returns their users, unless the whole workshop has ended. */
  const endDue = (trainingId: string): Promise<string[]> =>
    db.transaction(async (tx) => {
      const locked = await store.lock(tx, trainingId)
      const training = locked && (await store.findAny(tx, trainingId))
      if (!locked || !training || locked.ended_at) return []
      const at = now()
      const accounts = await seats.accounts(tx, trainingId)
      const endOf = ({ end_time }: Account) => end_time?.getTime() ?? locked.end_time.getTime()
      const over = accounts.filter((one) => endOf(one) <= at)
      await endSessionsOf(tx, trainingId, over)
      const later = [locked.end_time.getTime(), ...accounts.map(endOf)].filter((end) => end > at)
      if (later.length > 0) {
        await scheduleClock(tx, queue, trainingId, new Date(Math.min(...later)))
        return over.map(({ id }) => id)
      }
      await store.update(tx, trainingId, { ended_at: new Date(at) })
      await tearDown(tx, training)
      await notifyInstructors(tx, training)
      // The teardown ends everyone's programs.
      return []
    })
  const handler = handle(clockTask, async ({ training }) => {
    await endPrograms(await endDue(training))
  })
  return { handler }
}
