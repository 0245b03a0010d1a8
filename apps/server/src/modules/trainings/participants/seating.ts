import { randomInt } from 'node:crypto'
import type { Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { RequestContext } from '../../../http/caller'
import { record, subjectOf } from '../../activities/activities'
import type { Sessions } from '../../sessions/sessions'
import type { Users } from '../../users/users'
import { notifyInstructors } from '../notify'
import * as seats from '../seats/store'
import * as store from '../store'

type Options = { users: Users; sessions: Sessions; now: () => number }
type Person = { id: string; fullName: string; email: string }

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const SUFFIX_LENGTH = 6
/**
 * The name does not identify the person, because other users of the cluster see it. It is random, because the seats of
 * all workshops share one namespace.
 */
function accountName(number: number): string {
  const letter = () => LETTERS.charAt(randomInt(LETTERS.length))
  return `seat${number}x${Array.from({ length: SUFFIX_LENGTH }, letter).join('')}`
}

export type Seating = ReturnType<typeof makeSeating>
/** Assigns participants to seats and accounts. */
export function makeSeating({ users, sessions, now }: Options) {
  /** Returns the account of the seat, which is created if there is none. */
  const ensureAccount = async (
    tx: Transaction,
    training: Pick<store.FoundTraining, 'session_code' | 'end_time'>,
    seat: { training_id: string; number: number; user_id: string | null },
  ): Promise<string> => {
    if (seat.user_id !== null) return seat.user_id
    const id = await users.insertParticipant(
      tx,
      accountName(seat.number),
      training.session_code,
      training.end_time,
    )
    await seats.updateSeat(tx, seat, { user_id: id })
    return id
  }

  return {
    ensureAccount,

    /** Runs in the transaction that locks the registration: a registration has one seat, and a seat has one person. */
    async sitDown(
      tx: Transaction,
      training: store.FoundTraining,
      person: Person,
      context: RequestContext,
    ): Promise<{ userId: string; sessionId: string }> {
      const held = await store.hold(tx, training.id)
      if (!held || held.ended_at) return fail('wrong_state', { message: 'This workshop has ended' })
      const taken = await seats.seatOf(tx, person.id)
      const seat = taken ?? (await seats.claimSeat(tx, training.id)) ?? fail('workshop_full')
      const userId = await ensureAccount(tx, held, seat)
      // Every server is notified of the account's new end and checks again what its sockets may receive.
      const username = await users.seatParticipant(tx, userId, {
        fullName: person.fullName,
        email: person.email,
        sessionCode: held.session_code,
        endTime: held.end_time,
      })
      await seats.updateSeat(tx, seat, {
        registration_id: person.id,
        joined_at: seat.joined_at ?? new Date(now()),
        ...(held.seat_mode === 'shared' && { cluster_id: held.cluster_id }),
      })
      const sessionId = await sessions.open(tx, userId, context)
      const user = { id: userId, username }
      await record(
        tx,
        user,
        { ...context, sessionId },
        {
          action: 'logged in',
          subject: subjectOf('user', user),
          detail: `${person.email}, workshop ${training.name}, seat ${seat.number}`,
        },
      )
      await notifyInstructors(tx, training)
      return { userId, sessionId }
    },
  }
}
