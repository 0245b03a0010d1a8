import { countText } from '@flotilla/contract/count-text'
import type { Seat, Training, TrainingMessage } from '@flotilla/contract/trainings/entity'
import { lockPerson } from '../../db/callers'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import type { Queue } from '../../queue/queue'
import { record, subjectOf } from '../activities/activities'
import type { Sessions } from '../sessions/sessions'
import type { Users } from '../users/users'
import { endSessionsOf, scheduleClock } from './clock'
import { notifyInstructors, notifyParticipants } from './notify'
import * as registrations from './registration-store'
import type { Seating } from './seating'
import * as seats from './seat-store'
import * as store from './store'
import type { Trainings } from './trainings'
import { asMessage, asSeat, stateOf, type Running } from './view'

/** What participants run besides their session. */
export type SeatPrograms = {
  /** Ends them and answers how many there were. */
  end(of: { userIds: string[]; clusterId?: string | undefined }): Promise<number>
  running(userIds: string[]): Promise<{ id: string; userId: string }[]>
}

type Options = {
  db: Database
  queue: Queue
  users: Users
  sessions: Sessions
  trainings: Trainings
  seating: Seating
  desktops: SeatPrograms
  apps: SeatPrograms | null
  tearDown(tx: Transaction, training: store.FoundTraining): Promise<void>
  now: () => number
}

const MESSAGES_MAX = 200
const MINUTE_MS = 60_000

type SeatOf = Awaited<ReturnType<typeof seats.seatsOf>>[number]

export type Control = ReturnType<typeof makeControl>
/** What an instructor does during a workshop. */
export function makeControl(options: Options) {
  const { db, queue, users, sessions, trainings, seating, desktops, apps, tearDown, now } = options

  /** The seats of these people. An address that has none is refused, so that nothing seems to have been done for it. */
  const seatsOf = async (trainingId: string, emails: string[] | undefined): Promise<SeatOf[]> => {
    const found = await seats.seatsOf(db.kysely, trainingId, emails)
    const missing = emails?.filter((email) => !found.some((seat) => seat.email === email)) ?? []
    if (missing.length > 0) fail('bad_input', { fields: { userEmails: `No seat of ${missing.join(', ')}` } })
    return found
  }
  const userIds = (found: { user_id: string | null }[]): string[] =>
    found.flatMap(({ user_id }) => user_id ?? [])

  const requireRunning = (training: store.FoundTraining): void => {
    if (training.ended_at) fail('wrong_state', { message: 'This workshop has ended' })
  }

  /** Desktops and apps end first: they run under accounts that are about to go. */
  const endPrograms = async (ids: string[], clusterId?: string): Promise<number> => {
    if (ids.length === 0) return 0
    const ended = await desktops.end({ userIds: ids, clusterId })
    await apps?.end({ userIds: ids, clusterId })
    return ended
  }

  return {
    endPrograms,

    async seats(me: Caller, id: string): Promise<Seat[]> {
      const training = await trainings.forInstructor(me, id)
      const rows = await seats.seats(db.kysely, id)
      const ids = userIds(rows)
      const running: Running = {
        desktops: ids.length === 0 ? [] : await desktops.running(ids),
        apps: apps && ids.length > 0 ? await apps.running(ids) : null,
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
      requireRunning(training)
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
      requireRunning(training)
      const chosen = userEmails && (await seatsOf(id, userEmails))
      const added = minutes * MINUTE_MS
      await context.transaction(async (tx) => {
        const locked = (await store.lock(tx, id)) ?? fail('not_found')
        requireRunning({ ...training, ...locked })
        const accounts = await seats.accounts(tx, id)
        const everyone = new Date(locked.end_time.getTime() + added)
        const extended = chosen ? accounts.filter((one) => userIds(chosen).includes(one.id)) : accounts
        if (!chosen) await store.update(tx, id, { end_time: everyone })
        for (const account of extended) {
          const own = new Date((account.end_time?.getTime() ?? locked.end_time.getTime()) + added)
          // Who has more time already does not lose any.
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

    /** Nothing of them stays but the audit trail; their seats are free. */
    async removeUsers(
      me: Caller,
      id: string,
      userEmails: string[],
      context: RequestContext,
    ): Promise<number> {
      const training = await trainings.run(me, id, context)
      const found = await seatsOf(id, userEmails)
      await context.recheck()
      await endPrograms(userIds(found))
      await context.transaction(async (tx) => {
        for (const userId of userIds(found).toSorted()) await lockPerson(tx, userId)
        for (const seat of found) {
          if (seat.user_id !== null && seat.username !== null)
            await users.removeWithin(
              tx,
              me,
              context,
              { id: seat.user_id, username: seat.username },
              training.owner_id,
            )
          await seats.updateSeat(tx, seat, {
            joined_at: null,
            last_seen_at: null,
            left_at: null,
            online_ms: 0,
            hand_raised_at: null,
          })
        }
        await registrations.remove(
          tx,
          found.flatMap(({ registration_id }) => registration_id ?? []),
        )
        await record(tx, me, context, {
          action: 'participants removed',
          subject: subjectOf('workshop', training),
          detail: userEmails.join(', '),
        })
        await notifyInstructors(tx, training)
      })
      for (const userId of userIds(found)) sessions.forget(userId)
      return found.length
    },

    /** The person keeps the seat and gets an account in which nothing was changed yet. */
    async resetSeat(me: Caller, id: string, number: number, context: RequestContext): Promise<void> {
      const training = await trainings.run(me, id, context)
      requireRunning(training)
      const seat =
        (await seats.seats(db.kysely, id)).find((one) => one.number === number) ?? fail('not_found')
      const { user_id: userId, username } = seat
      if (userId === null || username === null)
        return fail('wrong_state', { message: `There is no account at seat ${number} yet` })
      await context.recheck()
      await endPrograms([userId])
      await context.transaction(
        async (tx) => {
          const locked = (await seats.lockSeat(tx, id, number)) ?? fail('not_found')
          if (locked.user_id !== userId) return
          await users.removeWithin(tx, me, context, { id: userId, username }, training.owner_id)
          await seats.updateSeat(tx, locked, { user_id: null, hand_raised_at: null })
          await seating.ensureAccount(tx, training, { ...locked, user_id: null })
          await record(tx, me, context, {
            action: 'seat reset',
            subject: subjectOf('workshop', training),
            detail: `seat ${number}${seat.email ? `, ${seat.email}` : ''}`,
          })
          await notifyInstructors(tx, training)
        },
        { changing: userId },
      )
      sessions.forget(userId)
    },

    async end(me: Caller, id: string, context: RequestContext): Promise<Training> {
      const training = await trainings.run(me, id, context)
      if (stateOf(training, now()) === 'ended')
        fail('wrong_state', { message: 'This workshop has ended already' })
      const ended = await context.transaction(async (tx) => {
        const locked = (await store.lock(tx, id)) ?? fail('not_found')
        if (locked.ended_at) return
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

    /** Only what has nothing left to tear down can go. */
    async remove(me: Caller, id: string, context: RequestContext): Promise<void> {
      const training = await trainings.mine(me, id, context)
      const accounts = await seats.accounts(db.kysely, id)
      const clusters = await seats.ownClusters(db.kysely, id, training.cluster_id)
      if (clusters.length > 0)
        fail('wrong_state', {
          message: `The workshop has ${countText(clusters.length, 'cluster')} of its own. End it first: the clusters are destroyed then.`,
        })
      await context.recheck()
      await endPrograms(accounts.map((one) => one.id))
      await context.transaction(async (tx) => {
        for (const one of accounts.toSorted((a, b) => a.id.localeCompare(b.id))) await lockPerson(tx, one.id)
        await endSessionsOf(tx, id, accounts)
        for (const one of accounts) await users.removeWithin(tx, me, context, one, training.owner_id)
        await notifyInstructors(tx, training)
        await store.remove(tx, id)
        await record(tx, me, context, { action: 'deleted', subject: subjectOf('workshop', training) })
      })
    },
  }
}
