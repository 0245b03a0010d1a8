import type { Transaction } from '../../db/database'
import { publish, roleRoom, userRoom } from '../../live/live'

/** Everyone who shows this person somewhere hears that they changed. */
export const tellChanged = (tx: Transaction, userId: string) =>
  publish(tx, [roleRoom('admin'), userRoom(userId)], { event: 'change', data: { changed: 'users' } })
