import { countText } from '@flotilla/contract/count-text'
import type { Seat, Training, TrainingMessage } from '@flotilla/contract/trainings/entity'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import type { Queue } from '../../queue/queue'
import { record, subjectOf } from '../activities/activities'
import type { Sessions } from '../sessions/sessions'
import { requireAll, requireNotEnded, userIds } from './participant-checks'
import { endSessionsOf, scheduleClock } from './clock'
import { notifyInstructors, notifyParticipants } from './notify'
import type { SeatPrograms } from './programs'
import * as seats from './seats/store'
import * as store from './store'
import type { Trainings } from './trainings'
import { asMessage, asSeat, stateOf, type Running } from './view'

type Options = {
  db: Database
  queue: Queue
  sessions: Sessions
  trainings: Trainings
  desktops: SeatPrograms
  apps: SeatPrograms
  tearDown(tx: Transaction, training: store.FoundTraining): Promise<void>
  now: () => number
}

const MESSAGES_MAX = 200
const MINUTE_MS = 60_000

type SeatOf = Awaited<ReturnType<typeof seats.seatsOf>>[number]

export type Control = ReturnType<typeof makeControl>
/** An instructor's actions during a workshop. */
export function makeControl(options: Options) {
  const { db, queue, sessions, trainings, desktops, apps, tearDown, now } = options

  /** The seats of these people, or all that are taken. */
  const seatsOf = async (trainingId: string, emails: string[] | undefined): Promise<SeatOf[]> => {
    const found = await seats.seatsOf(db.kysely, trainingId, emails)
    if (emails) requireAll(emails, found, 'No participant has the address')
    return found
  }
  return {
    async seats(me: Caller, id: string): Promise<Seat[]> {
      const training = await trainings.forInstructor(me, id)
      const rows = await seats.seats(db.kysely, id)
      const ids = userIds(rows)
      const running: Running = {
        desktops: ids.length === 0 ? [] : await desktops.running(ids),
        apps: ids.length === 0 ? [] : await apps.running(ids),
      }
      return rows.map((row) => asSeat(row, training, running, now()))
    },

    async messages(me: Caller, id: string): Promise<TrainingMessage[]> {
      await trainings.forInstructor(me, id)
      return (await store.messages(db.kysely, id, MESSAGES_MAX)).map(asMessage)
    },

    async sendMessage(
      me: Caller,
      id: string,
      { text, userEmails }: { text: string; userEmails?: string[] | undefined },
      context: RequestContext,
    ): Promise<TrainingMessage[]> {
      const training = await trainings.run(me, id, context)
      requireNotEnded(training)
      const to = await seatsOf(id, userEmails)
      const emails = userEmails === undefined ? [null] : to.map(({ email }) => email)
      const sent = { training_id: id, sender: me.username, text, sent_at: new Date(now()) }
      const rows = emails.map((email) => ({ id: newId(), email, ...sent }))
      await context.transaction(async (tx) => {
        await store.insertMessages(tx, rows)
        await record(tx, me, context, {
          action: 'message sent',
          subject: subjectOf('workshop', training),
          detail: userEmails === undefined ? 'to everyone' : userEmails.join(', '),
        })
        await notifyInstructors(tx, training)
        await notifyParticipants(tx, userIds(to))
      })
      return rows.map(asMessage)
    },

    async setHand(
      me: Caller,
      id: string,
      number: number,
      raised: boolean,
      context: RequestContext,
    ): Promise<void> {
      const training = await trainings.run(me, id, context)
      await context.transaction(async (tx) => {
        const seat = (await seats.lockSeat(tx, id, number)) ?? fail('not_found')
        await seats.updateSeat(tx, seat, { hand_raised_at: raised ? new Date(now()) : null })
        await notifyInstructors(tx, training)
        await notifyParticipants(tx, [seat.user_id])
      })
    },

    async extend(
      me: Caller,
      id: string,
      { minutes, userEmails }: { minutes: number; userEmails?: string[] | undefined },
      context: RequestContext,
    ): Promise<Training> {
      const training = await trainings.run(me, id, context)
      requireNotEnded(training)
      const chosen = userEmails && (await seatsOf(id, userEmails))
      const added = minutes * MINUTE_MS
      await context.transaction(async (tx) => {
        const locked = (await store.lock(tx, id)) ?? fail('not_found')
        requireNotEnded(locked)
        const accounts = await seats.accounts(tx, id)
        const everyone = new Date(locked.end_time.getTime() + added)
        const extended = chosen ? accounts.filter((one) => userIds(chosen).includes(one.id)) : accounts
        if (!chosen) await store.update(tx, id, { end_time: everyone })
        for (const account of extended) {
          const own = new Date((account.end_time?.getTime() ?? locked.end_time.getTime()) + added)
          // A participant whose session ends later keeps that end.
          const end = chosen || own < everyone ? own : everyone
          await seats.setUserEnds(
            tx,
            [account.id],
            account.end_time && account.end_time > end ? account.end_time : end,
          )
        }
        await scheduleClock(tx, queue, id, chosen ? locked.end_time : everyone)
        await record(tx, me, context, {
          action: 'session extended',
          subject: subjectOf('workshop', training),
          detail: `${countText(minutes, 'minute')} for ${userEmails?.join(', ') ?? 'everyone'}`,
        })
        await notifyInstructors(tx, training)
        await notifyParticipants(
          tx,
          extended.map((one) => one.id),
        )
      })
      return trainings.view(me, id)
    },

    async terminateDesktops(
      me: Caller,
      id: string,
      { userEmails, clusterId }: { userEmails: string[]; clusterId?: string | null | undefined },
      context: RequestContext,
    ): Promise<number> {
      const training = await trainings.run(me, id, context)
      const found = await seatsOf(id, userEmails)
      await context.recheck()
      const ended = await desktops.end({ userIds: userIds(found), clusterId: clusterId ?? undefined })
      await context.transaction(async (tx) => {
        await record(tx, me, context, {
          action: 'desktops ended',
          subject: subjectOf('workshop', training),
          detail: `${ended}: ${userEmails.join(', ')}`,
        })
        await notifyInstructors(tx, training)
      })
      return ended
    },

    async end(me: Caller, id: string, context: RequestContext): Promise<Training> {
      const training = await trainings.run(me, id, context)
      const wrongState = () => fail('wrong_state', { message: 'This workshop has ended already' })
      if (!training.ended_at && stateOf(training, now()) === 'ended') wrongState()
      const ended = await context.transaction(async (tx) => {
        const locked = (await store.lock(tx, id)) ?? fail('not_found')
        if (locked.ended_at) {
          // A failed teardown is retried.
          if (locked.preparation !== 'failed') wrongState()
          await tearDown(tx, training)
          return
        }
        const at = new Date(now())
        const accounts = await seats.accounts(tx, id)
        await endSessionsOf(tx, id, accounts)
        if (accounts.length > 0)
          await seats.setUserEnds(
            tx,
            accounts.map((one) => one.id),
            at,
          )
        await store.update(tx, id, { ended_at: at, end_time: at })
        await record(tx, me, context, { action: 'ended', subject: subjectOf('workshop', training) })
        await tearDown(tx, training)
        await notifyInstructors(tx, training)
        return accounts
      })
      for (const { id: userId } of ended ?? []) sessions.forget(userId)
      return trainings.view(me, id)
    },
  }
}
