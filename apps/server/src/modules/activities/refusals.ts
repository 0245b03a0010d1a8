import type { Logger } from 'pino'
import { VISITOR } from '@flotilla/contract/people/activities'
import { countText } from '@flotilla/contract/count-text'
import type { Endpoint } from '@flotilla/contract/endpoint'
import type { Database } from '../../db/database'
import type { Caller, TokenCaller } from '../../http/caller'
import { describeNetwork } from '../../client-network'
import type { NewActivity } from '../../db/tables'
import { lineOf, type NoteRefusal } from './activities'
import * as store from './store'

const WINDOW_MS = 60_000
/** Different lines in one window. Whatever else is refused then goes into one line for its action. */
const LINES_MAX = 100

type Called = Pick<Endpoint, 'method' | 'path'>
type Window = { line: NewActivity; repeats: number; endsAt: number }

/**
 * The audit trail of what was refused: failed logins, and calls that are for admins only. It may come as a flood, which must not
 * fill the disk: the first refusal of a kind is written at once, and after a minute how often it was repeated.
 */
export function makeRefusals({ db, log, now }: { db: Database; log: Logger; now: () => number }) {
  const windows = new Map<string, Window>()
  // One after the other, and the caller does not wait: the duration of a refusal must not reveal what was written.
  let writing = Promise.resolve()
  const write = (line: NewActivity): void => {
    writing = writing.then(async () => {
      try {
        await db.transaction((tx) => store.insert(tx, line))
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
  const note: NoteRefusal = (actor, context, activity) => {
    closeEnded()
    const own = JSON.stringify([actor?.id, activity.action, activity.subject, activity.detail])
    const full = windows.size >= LINES_MAX && !windows.has(own)
    const key = full ? activity.action : own
    const known = windows.get(key)
    if (known) {
      known.repeats++
      return
    }
    const others = { action: activity.action, subject: 'various', detail: 'too many different ones to list' }
    const line = full
      ? { ...lineOf(null, null, others), actor: 'several people' }
      : { ...lineOf(actor, context, activity), actor: actor?.username ?? VISITOR }
    windows.set(key, { line, repeats: 0, endsAt: now() + WINDOW_MS })
    write(line)
  }

  return {
    note,
    /** By its route, as an address may hold a secret. */
    noteAdminCall: (
      caller: Caller | TokenCaller,
      request: { id: string; ip: string },
      called: Called,
    ): void =>
      note(
        caller,
        { requestId: request.id },
        {
          action: 'admin call refused',
          subject: `${called.method} ${called.path}`,
          detail: `${'tokenId' in caller ? 'access token, ' : ''}from ${describeNetwork(request.ip)}`,
        },
      ),
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
