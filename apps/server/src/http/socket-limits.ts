import type { Socket } from 'socket.io'
import {
  SOCKETS_PER_PERSON,
  SOCKETS_PER_SESSION,
  SOCKETS_UNIDENTIFIED_MAX,
  SOCKET_IDENTIFY_MS,
} from '@flotilla/contract/limits'
import type { SessionCaller } from './caller'

type Connection = Pick<Socket['conn'], 'once' | 'close'>

/** Limits the connections of each session and user, and those that are not identified yet. */
export function makeSocketLimits() {
  const held = new Map<string, Set<Connection>>()
  const unidentified = new Set<Connection>()

  const hold = (key: string, connection: Connection): void => {
    const all = held.get(key) ?? new Set<Connection>()
    held.set(key, all.add(connection))
    connection.once('close', () => {
      all.delete(connection)
      if (all.size === 0) held.delete(key)
    })
  }
  const isFull = (key: string, connection: Connection, most: number): boolean => {
    const all = held.get(key)
    return all !== undefined && !all.has(connection) && all.size >= most
  }

  return {
    /**
     * A browser identifies itself within milliseconds. When too many connections have not, the oldest is closed: an
     * attacker who opens many evicts their own first.
     */
    opened(connection: Connection): void {
      unidentified.add(connection)
      const timer = setTimeout(() => unidentified.has(connection) && connection.close(), SOCKET_IDENTIFY_MS)
      connection.once('close', () => {
        clearTimeout(timer)
        unidentified.delete(connection)
      })
      const [oldest] = unidentified
      if (unidentified.size > SOCKETS_UNIDENTIFIED_MAX) oldest?.close()
    },
    /** False if the limit is reached. The connections that the user has continue, with the terminals in them. */
    identified(connection: Connection, { id, sessionId }: SessionCaller): boolean {
      const [session, person] = [`session ${sessionId}`, `person ${id}`]
      if (isFull(session, connection, SOCKETS_PER_SESSION)) return false
      if (isFull(person, connection, SOCKETS_PER_PERSON)) return false
      unidentified.delete(connection)
      hold(session, connection)
      hold(person, connection)
      return true
    },
  }
}
