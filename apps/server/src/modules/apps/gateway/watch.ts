import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../db/database'
import type { ClusterObserver } from '../../clusters/open'
import type { Gate } from './gate'
import { notifySession } from '../sessions/sessions'
import * as store from '../store'
import type { Upstreams } from './upstreams'
import { isSubmitted, type RunningSession } from '../sessions/view'

/** How often an app is asked whether it is ready. */
const ASK_MS = 1000
/** How long the record of an ended session stays in the list. */
const KEPT_MS = 7 * 24 * 60 * 60_000

type Options = { db: Database; upstreams: Upstreams; gate: Gate; now: () => number }

/** On the leader: notices when apps become ready and when they end. */
export function makeWatch({
  db,
  upstreams,
  gate,
  now,
}: Options): ClusterObserver & { sweep(): Promise<unknown>; stop(): void } {
  const asking = new Set<string>()
  const stopped = new AbortController()

  /** Until it is ready or has ended. */
  const askUntilReady = async (first: RunningSession): Promise<void> => {
    for (let row = first; !stopped.signal.aborted;) {
      if (await upstreams.isReady(row)) {
        await db.transaction(async (tx) => {
          if (await store.markReady(tx, row.id, new Date(now()))) await notifySession(tx, row)
        })
        return
      }
      await sleep(ASK_MS, undefined, { signal: stopped.signal })
      const found = await store.findAnySession(db.kysely, row.id)
      if (!found || !isSubmitted(found) || found.ended_at !== null) return
      row = found
    }
  }

  return {
    async onRound() {
      for (const row of await store.endedSessions(db.kysely)) {
        await db.transaction(async (tx) => {
          await store.updateSession(tx, row.id, { closed_at: new Date(now()) })
          await notifySession(tx, row)
        })
        gate.forget(row.id)
        upstreams.close(row.id)
      }
      for (const row of await store.startingSessions(db.kysely)) {
        if (asking.has(row.id) || !isSubmitted(row)) continue
        asking.add(row.id)
        void askUntilReady(row)
          .catch(() => {})
          .finally(() => asking.delete(row.id))
      }
    },
    sweep: () => store.removeOldSessions(db.kysely, new Date(now() - KEPT_MS)),
    stop: () => stopped.abort(),
  }
}
