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
/** The most distinct lines in one window. Further refusals are combined into one line per action. */
const LINES_MAX = 100

/** Replaces the actor, the subject and the source in a combined line. */
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

type Options = { db: Database; system: AuditSource; log: Logger; now: () => number }

/**
 * The audit trail of refusals: failed logins, and calls that are for admins only. A flood of them must not fill the
 * disk: the first refusal of a kind is written at once, and the number of its repeats after a minute.
 */
export function makeRefusals({ db, system, log, now }: Options) {
  const windows = new Map<string, Window>()
  // Writes are serialized and the caller does not wait for them: the duration of a refusal must not reveal what was
  // written.
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

  /** Without an actor, the refused caller was not logged in. */
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
    /** Records the route and not the URL, which may contain a secret. */
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
    /** Writes the number of repeats of each window that has ended. */
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
