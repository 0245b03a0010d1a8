import type { Logger } from 'pino'
import { VISITOR } from '@flotilla/contract/people/activities'
import { countText } from '@flotilla/contract/count-text'
import type { Endpoint } from '@flotilla/contract/endpoint'
import type { Database } from '../../db/database'
import type { AuditSource, SessionCaller, TokenCaller } from '../../http/caller'
import { describeNetwork } from '../../network/client-network'
import { unsignedLineOf, type NoteRefusal } from './activities'
import { signed, type UnsignedActivity } from './records'
import * as store from './store'

const WINDOW_MS = 60_000
/** Different lines in one window. Whatever else is refused then goes into one line for its action. */
const LINES_MAX = 100

/** What takes the place of who, what and from where in that line. */
const ANYONE = {
  actor_id: null,
  actor: 'several people',
  subject_kind: null,
  subject_id: null,
  subject: 'various',
  detail: 'too many different ones to list',
  address: null,
  request_id: null,
  session_id: null,
  token_id: null,
}

type Called = Pick<Endpoint, 'method' | 'path'>
type Window = { line: UnsignedActivity; repeats: number; endsAt: number }

/**
 * The audit trail of what was refused: failed logins, and calls that are for admins only. It may come as a flood, which must not
 * fill the disk: the first refusal of a kind is written at once, and after a minute how often it was repeated.
 */
type Options = { db: Database; system: AuditSource; log: Logger; now: () => number }
export function makeRefusals({ db, system, log, now }: Options) {
  const windows = new Map<string, Window>()
  // One after the other, and the caller does not wait: the duration of a refusal must not reveal what was written.
  let writing = Promise.resolve()
  const write = (line: UnsignedActivity): void => {
    writing = writing.then(async () => {
      try {
        await db.transaction((tx) => store.insert(tx, signed(line, system.sign)))
      } catch (error) {
        log.error({ err: error }, 'a refusal is missing from the audit trail')
      }
    })
  }
  const close = (key: string, { line, repeats }: Window): void => {
    windows.delete(key)
    if (repeats === 0) return
    const repeated = countText(repeats, 'more time')
    write({ ...line, time: new Date(), detail: [repeated, line.detail].filter(Boolean).join(': ') })
  }
  const closeEnded = (): void => {
    for (const [key, window] of windows) if (window.endsAt <= now()) close(key, window)
  }
  const timer = setInterval(closeEnded, WINDOW_MS).unref()

  /** Without an actor it was someone who is not logged in. */
  const note: NoteRefusal = (actor, source, activity) => {
    closeEnded()
    const line = { ...unsignedLineOf(actor, source, activity), actor: actor?.username ?? VISITOR }
    const own = JSON.stringify([line.actor_id, line.action, line.subject, line.detail])
    const full = windows.size >= LINES_MAX && !windows.has(own)
    const key = full ? activity.action : own
    const known = windows.get(key)
    if (known) {
      known.repeats++
      return
    }
    const first = full ? { ...line, ...ANYONE } : line
    windows.set(key, { line: first, repeats: 0, endsAt: now() + WINDOW_MS })
    write(first)
  }

  return {
    note,
    /** By its route, as an address may hold a secret. */
    noteAdminCall: (
      caller: SessionCaller | TokenCaller,
      request: { id: string; ip: string },
      called: Called,
    ): void => {
      const name = `${called.method} ${called.path}`
      const isToken = 'tokenId' in caller
      const by = isToken
        ? { sessionId: null, tokenId: caller.tokenId }
        : { sessionId: caller.sessionId, tokenId: null }
      note(
        caller,
        { ...system, requestId: request.id, address: request.ip, ...by },
        {
          action: 'admin call refused',
          subject: { kind: 'call', id: null, name },
          detail: `${isToken ? 'access token, ' : ''}from ${describeNetwork(request.ip)}`,
        },
      )
    },
    /** Writes how often what is over was repeated. */
    async sweep(): Promise<void> {
      closeEnded()
      await writing
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      for (const [key, window] of windows) close(key, window)
      await writing
    },
  }
}
