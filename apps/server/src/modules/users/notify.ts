import type { Queryable } from '../../db/database'
import { notifyRooms, userRoom } from '../../live/live'
import { notifyPeople } from '../sharing/sharing'

/** Admins see users in lists; the user's own browsers apply new roles and a new end time without a reload. */
export async function notifyPersonChanged(tx: Queryable, id: string): Promise<void> {
  await notifyPeople(tx, 'users', [id])
  await notifyRooms(tx, [userRoom(id)], 'account')
}
