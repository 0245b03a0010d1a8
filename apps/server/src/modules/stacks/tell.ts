import type { Transaction } from '../../db/database'
import { publish, roleRoom, userRoom } from '../../live/live'
import type { FoundStack } from './store'

/** So many rooms fit into one message of the database. */
const ROOMS_MAX = 100

/** Admins see them all; the others are told of those that are theirs or shared with them. */
export async function tellStacksChanged(tx: Transaction, people: string[]): Promise<void> {
  const rooms = [roleRoom('admin'), ...new Set(people.map(userRoom))]
  for (let at = 0; at < rooms.length; at += ROOMS_MAX)
    await publish(tx, rooms.slice(at, at + ROOMS_MAX), { event: 'change', data: { changed: 'stacks' } })
}

export const peopleOf = (row: Pick<FoundStack, 'owner_id' | 'collaborators'>): string[] => [
  row.owner_id,
  ...row.collaborators.map(({ id }) => id),
]
