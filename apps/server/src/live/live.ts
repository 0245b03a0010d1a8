import { sql, type Kysely, type Transaction } from 'kysely'
import * as z from 'zod/mini'
import { roles } from '@flotilla/contract/access'
import { Changed } from '@flotilla/contract/events'
import type { Tables } from '../db/tables'

export const CHANNEL = 'flotilla'

/** Who receives an event: everyone who may see a thing, one person, or everyone who holds a role. */
export const entityRoom = (noun: Changed, id: string) => `${noun}:${id}`
export const userRoom = (userId: string) => `user:${userId}`
export const roleRoom = (role: string) => `role:${role}`
/** Whether this is the room of a thing, which users can gain and lose access to. */
export const isEntityRoom = (room: string) => /^(?!user:|role:)\w+:/.test(room)

const Event = z.discriminatedUnion('event', [
  z.object({ event: z.literal('change'), data: z.object({ changed: Changed }) }),
  z.object({
    event: z.literal('trainingSessionIsEnding'),
    data: z.object({ sessionCode: z.string(), trainingId: z.string() }),
  }),
  z.object({ event: z.literal('publicDemoSessionIsEnding'), data: z.object({ username: z.string() }) }),
  z.object({ event: z.literal('silentLogout'), data: z.object({ username: z.string() }) }),
])

/** The messages that servers exchange through the database. */
export const LiveMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('event'), rooms: z.array(z.string()), event: Event }),
  /** Sent by a trigger: sessions ended or the rights of this person changed. */
  z.object({ kind: z.literal('identity'), userId: z.string() }),
])
export type LiveMessage = z.infer<typeof LiveMessage>

/** The number of rooms that fit into one PostgreSQL notification. */
const ROOMS_MAX = 100

/**
 * Notifies every browser in the rooms, on every server, if and only if the transaction commits: PostgreSQL delivers
 * notifications on commit.
 */
export async function publish(
  tx: Transaction<Tables> | Kysely<Tables>,
  rooms: string[],
  event: z.infer<typeof Event>,
): Promise<void> {
  for (let at = 0; at < rooms.length; at += ROOMS_MAX) {
    const message: LiveMessage = { kind: 'event', rooms: rooms.slice(at, at + ROOMS_MAX), event }
    await sql`select pg_notify(${CHANNEL}, ${JSON.stringify(message)})`.execute(tx)
  }
}

/** Tells the pages in these rooms to refetch something. */
export const notifyRooms = (
  tx: Transaction<Tables> | Kysely<Tables>,
  rooms: string[],
  changed: Changed,
): Promise<void> => publish(tx, rooms, { event: 'change', data: { changed } })

/** Notifies everyone who may see a thing, and admins, of a change to it or to something that belongs to it. */
export const notifyChange = (
  tx: Transaction<Tables> | Kysely<Tables>,
  noun: Changed,
  id: string,
  changed: Changed = noun,
): Promise<void> => notifyRooms(tx, [entityRoom(noun, id), roleRoom('admin')], changed)

/** Makes every server update the rooms of this user's sockets, after what the user may see has changed. */
export async function notifyIdentityChanged(
  tx: Transaction<Tables> | Kysely<Tables>,
  userId: string,
): Promise<void> {
  const message: LiveMessage = { kind: 'identity', userId }
  await sql`select pg_notify(${CHANNEL}, ${JSON.stringify(message)})`.execute(tx)
}

export const notifyEveryone = (tx: Transaction<Tables>, changed: Changed): Promise<void> =>
  notifyRooms(tx, roles.map(roleRoom), changed)
/** Notifies everyone of a change to something that the whole site shares. */
export const notifySettingsChanged = (tx: Transaction<Tables>) => notifyEveryone(tx, 'settings')
