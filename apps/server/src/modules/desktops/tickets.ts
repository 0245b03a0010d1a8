import { createHash, randomBytes } from 'node:crypto'
import { DESKTOP_TICKET_MS, type DesktopMode } from '@flotilla/contract/desktops/desktops'
import type { Database, Transaction } from '../../db/database'
import type { SessionCaller } from '../../http/caller'
import * as store from './store'

const hashOf = (ticket: string): string => createHash('sha256').update(ticket).digest('base64url')

export type Tickets = ReturnType<typeof makeTickets>
/** Each ticket is for one connection of a session to a desktop within thirty seconds. Only hashes are stored. */
export function makeTickets(db: Database, now: () => number) {
  return {
    async issue(tx: Transaction, me: SessionCaller, desktopId: string, mode: DesktopMode) {
      const ticket = randomBytes(32).toString('base64url')
      const expiresAt = now() + DESKTOP_TICKET_MS
      await store.insertTicket(tx, {
        hash: hashOf(ticket),
        desktop_id: desktopId,
        user_id: me.id,
        session_id: me.sessionId,
        mode,
        expires_at: new Date(expiresAt),
      })
      return { ticket, expiresAt }
    },
    /** Consumes the ticket. */
    take: (ticket: string) => store.takeTicket(db.kysely, hashOf(ticket), new Date(now())),
  }
}
