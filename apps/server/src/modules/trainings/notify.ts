import type { Queryable } from '../../db/database'
import { notifyRooms, userRoom } from '../../live/live'
import { notifyPeople, peopleOf } from '../sharing/sharing'

type Shared = Parameters<typeof peopleOf>[0]

/** Those who run the workshop. */
export const notifyInstructors = (tx: Queryable, training: Shared): Promise<void> =>
  notifyPeople(tx, 'trainings', peopleOf(training))

/** Something about their seat changed, or there is a message. */
export const notifyParticipants = (tx: Queryable, userIds: (string | null)[]): Promise<void> =>
  notifyRooms(tx, userIds.filter((id) => id !== null).map(userRoom), 'trainings')
