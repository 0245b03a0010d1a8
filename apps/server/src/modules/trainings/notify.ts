import type { Queryable } from '../../db/database'
import { notifyRooms, userRoom } from '../../live/live'
import { notifyPeople, peopleOf } from '../sharing/sharing'

type Shared = Parameters<typeof peopleOf>[0]

/** Notifies the people who run the workshop. */
export const notifyInstructors = (tx: Queryable, training: Shared): Promise<void> =>
  notifyPeople(tx, 'trainings', peopleOf(training))

/** Notifies participants of a change to their seats or of a message. */
export const notifyParticipants = (tx: Queryable, userIds: (string | null)[]): Promise<void> =>
  notifyRooms(tx, userIds.filter((id) => id !== null).map(userRoom), 'trainings')
