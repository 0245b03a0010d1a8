import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../db/database'
import type { ClusterObserver } from '../../clusters/open'
import type { Gate } from './gate'
import { notifySession } from '../sessions/sessions'
import * as store from '../store'
import type { Upstreams } from './upstreams'
import { isSubmitted, type RunningSession } from '../sessions/view'

/** How often a starting app is polled. */
const POLL_MS = 1000
/** How long ended sessions stay in the list. */
const KEPT_MS = 7 * 24 * 60 * 60_000

type Options = { db: Database; upstreams: Upstreams; gate: Gate; now: () => number }

/** Runs on the leader and detects when apps become ready and when they end. */
export function makeWatch({
  db,
  upstreams,
  gate,
  now,
}: Options): ClusterObserver & { sweep(): Promise<unknown>; stop(): void } {
  const polling = new Set<string>()
  const stopped = new AbortController()

  /** Polls an app until it is ready or has ended. */
  const pollUntilReady = async (first: RunningSession): Promise<void> => {
    for (let row = first; !stopped.signal.aborted;) {
      if (await upstreams.isReady(row)) {
        await db.transaction(async (tx) => {
          if (await store.markReady(tx, row.id, new Date(now()))) await notifySession(tx, row)
        })
        return
      }
      await sleep(POLL_MS, undefined, { signal: stopped.signal })
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
        if (polling.has(row.id) || !isSubmitted(row)) continue
        polling.add(row.id)
        void pollUntilReady(row)
          .catch(() => {})
          .finally(() => polling.delete(row.id))
      }
    },
    sweep: () => store.removeOldSessions(db.kysely, new Date(now() - KEPT_MS)),
    stop: () => stopped.abort(),
  }
}
