import type { Queryable } from '../../db/database'
import { notifyRooms, userRoom } from '../../live/live'
import { notifyPeople } from '../sharing/sharing'

/** Admins see people in lists; the person's own browsers take over new roles and a new end without a reload. */
export async function notifyPersonChanged(tx: Queryable, id: string): Promise<void> {
  await notifyPeople(tx, 'users', [id])
  await notifyRooms(tx, [userRoom(id)], 'account')
}
