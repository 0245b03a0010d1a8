import type { Queryable } from '../../db/database'
import { publish, userRoom } from '../../live/live'
import { notifyPeople, peopleOf } from '../sharing/sharing'

type Shared = Parameters<typeof peopleOf>[0]
/** So many rooms fit into one message of the database. */
const ROOMS_MAX = 100

/** Those who run the workshop. */
export const notifyInstructors = (tx: Queryable, training: Shared): Promise<void> =>
  notifyPeople(tx, 'trainings', peopleOf(training))

/** Something about their seat changed, or there is a message. */
export async function notifyParticipants(tx: Queryable, userIds: (string | null)[]): Promise<void> {
  const rooms = userIds.filter((id) => id !== null).map(userRoom)
  for (let at = 0; at < rooms.length; at += ROOMS_MAX)
    await publish(tx, rooms.slice(at, at + ROOMS_MAX), { event: 'change', data: { changed: 'trainings' } })
}
