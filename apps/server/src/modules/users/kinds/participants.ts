import type { Transaction } from '../../../db/database'
import { newId } from '../../../ids'
import { notifyPersonChanged } from '../notify'
import * as store from '../store'

type Seated = { fullName: string; email: string; sessionCode: string; endTime: Date }

/** Splits a full name before its last word: the last name in `Ada King Lovelace` is `Lovelace`. */
function namesIn(fullName: string): { first_name: string; last_name: string } {
  const words = fullName.trim().split(/\s+/)
  return {
    first_name: words.slice(0, -1).join(' ') || (words[0] ?? ''),
    last_name: words.length > 1 ? (words.at(-1) ?? '') : '',
  }
}

/** Accounts of workshop participants, which have no password, a single role and an end time. */
export const makeParticipants = (now: () => number) => ({
  /** Creates an account for a seat that may be taken later. */
  async insertParticipant(
    tx: Transaction,
    username: string,
    sessionCode: string,
    endTime: Date,
  ): Promise<string> {
    const id = newId()
    await store.insert(tx, {
      id,
      username,
      first_name: username,
      last_name: '',
      // Left empty, so that a user of this site can take part with the address of their account.
      email: '',
      role: ['participant'],
      verified: true,
      session_code: sessionCode,
      end_time: endTime,
      created_at: new Date(now()),
    })
    return id
  },
  /**
   * Updates the account when its participant takes the seat or returns to it. An extended end time is kept. Returns the
   * username.
   */
  async seatParticipant(
    tx: Transaction,
    id: string,
    { fullName, email, sessionCode, endTime }: Seated,
  ): Promise<string> {
    const values = {
      ...namesIn(fullName),
      participant_email: email,
      session_code: sessionCode,
      last_login_at: new Date(now()),
    }
    const { username } = await store.updateUntil(tx, id, endTime, values)
    await notifyPersonChanged(tx, id)
    return username
  },
})
