import { countText } from '@flotilla/contract/count-text'
import { lockPerson } from '../../../db/callers'
import type { Database } from '../../../db/database'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { record, subjectOf } from '../../activities/activities'
import type { Sessions } from '../../sessions/sessions'
import type { Users } from '../../users/users'
import { requireAll, requireNotEnded, userIds } from '../participant-checks'
import { endSessionsOf } from '../clock'
import { notifyInstructors } from '../notify'
import * as registrations from '../registrations/store'
import type { Seating } from '../participants/seating'
import * as seats from '../seats/store'
import * as store from '../store'
import type { Trainings } from '../trainings'

type Options = {
  db: Database
  users: Users
  sessions: Sessions
  trainings: Trainings
  seating: Seating
  /** Ends what these people run, before their accounts are removed. */
  endPrograms(userIds: string[]): Promise<number>
  now: () => number
}

type Person = { id: string; username: string }
/** Empty if the seat has no account. */
const personAt = (seat: { user_id: string | null; username: string | null }): Person[] =>
  seat.user_id === null || seat.username === null ? [] : [{ id: seat.user_id, username: seat.username }]

export type Removal = ReturnType<typeof makeRemoval>
/** Removes participants, their accounts and whole workshops. */
export function makeRemoval({ db, users, sessions, trainings, seating, endPrograms, now }: Options) {
  /** Ends the sessions before the programs, so that these people cannot start others. */
  const endSessions = async (people: Person[], context: RequestContext): Promise<void> => {
    await context.transaction(async (tx) => {
      const sorted = people.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      for (const { id } of sorted) await lockPerson(tx, id)
      for (const person of sorted) await users.endSessions(tx, person)
    })
    for (const { id } of people) sessions.forget(id)
  }

  return {
    /**
     * Removes everything of these participants except the audit trail and frees their seats. Includes those who only
     * registered.
     */
    async removeUsers(
      me: Caller,
      id: string,
      userEmails: string[],
      context: RequestContext,
    ): Promise<number> {
      const training = await trainings.run(me, id, context)
      const registered = await registrations.ofEmails(db.kysely, id, userEmails)
      requireAll(userEmails, registered, 'Not registered for this workshop:')
      const found = await seats.seatsOf(db.kysely, id, userEmails)
      await endSessions(found.flatMap(personAt), context)
      await endPrograms(userIds(found))
      await context.transaction(async (tx) => {
        for (const userId of userIds(found).toSorted()) await lockPerson(tx, userId)
        for (const seat of found) {
          for (const person of personAt(seat))
            await users.removeWithin(tx, me, context, person, training.owner_id)
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
          registered.map((one) => one.id),
        )
        await record(tx, me, context, {
          action: 'participants removed',
          subject: subjectOf('workshop', training),
          detail: userEmails.join(', '),
        })
        await notifyInstructors(tx, training)
      })
      for (const userId of userIds(found)) sessions.forget(userId)
      return registered.length
    },

    /** The participant keeps the seat and gets a new account. */
    async resetSeat(me: Caller, id: string, number: number, context: RequestContext): Promise<void> {
      const training = await trainings.run(me, id, context)
      requireNotEnded(training)
      const seat =
        (await seats.seats(db.kysely, id)).find((one) => one.number === number) ?? fail('not_found')
      const { user_id: userId, username } = seat
      if (userId === null || username === null)
        return fail('wrong_state', { message: `Seat ${number} has no account yet` })
      await endSessions([{ id: userId, username }], context)
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

    /** A workshop can be removed only if it has nothing left to tear down. */
    async remove(me: Caller, id: string, context: RequestContext): Promise<void> {
      const training = await trainings.mine(me, id, context)
      const clusters = await seats.ownClusters(db.kysely, id)
      if (clusters.length > 0)
        fail('wrong_state', {
          message: `This workshop created ${countText(clusters.length, 'cluster')}. End the workshop first to destroy ${clusters.length === 1 ? 'it' : 'them'}.`,
        })
      // Ends the workshop first, so that no participant logs in again or starts a program while the running ones are
      // ended.
      const accounts = await context.transaction(async (tx) => {
        const locked = (await store.lock(tx, id)) ?? fail('not_found')
        await store.update(tx, id, { ended_at: locked.ended_at ?? new Date(now()) })
        const found = await seats.accounts(tx, id)
        await endSessionsOf(tx, id, found)
        return found
      })
      for (const one of accounts) sessions.forget(one.id)
      await endPrograms(accounts.map((one) => one.id))
      await context.transaction(async (tx) => {
        for (const one of accounts.toSorted((a, b) => (a.id < b.id ? -1 : 1))) await lockPerson(tx, one.id)
        for (const one of accounts) await users.removeWithin(tx, me, context, one, training.owner_id)
        await notifyInstructors(tx, training)
        await store.remove(tx, id)
        await record(tx, me, context, { action: 'deleted', subject: subjectOf('workshop', training) })
      })
    },
  }
}
