import { KNOWN_NETWORK_MS } from '@flotilla/contract/limits'
import type { Database } from '../../../db/database'
import * as store from '../store'

/** Those of the latest logins. More would take memory and hardly ever matter. */
const PAIRS_MAX = 100_000
/** Other servers write to the same table. */
const REREAD_MS = 60_000

/**
 * From which networks people have logged in lately. Kept in memory: it is asked before anything else, so that a flood of
 * logins costs the database nothing.
 */
export function makeKnownNetworks(db: Database, now: () => number) {
  let pairs = new Set<string>()
  let readAt = Number.NEGATIVE_INFINITY
  const pairOf = (username: string, network: string) => `${username} ${network}`
  const read = async (): Promise<void> => {
    readAt = now()
    try {
      const rows = await store.loginNetworks(db.kysely, new Date(now() - KNOWN_NETWORK_MS), PAIRS_MAX)
      pairs = new Set(rows.map(({ username, network }) => pairOf(username, network)))
    } catch (error) {
      // The next login tries again.
      readAt = Number.NEGATIVE_INFINITY
      throw error
    }
  }
  let reading: Promise<void> | undefined
  return {
    async has(username: string, network: string): Promise<boolean> {
      if (Math.abs(now() - readAt) >= REREAD_MS) reading = read()
      await reading
      return pairs.has(pairOf(username, network))
    },
    add: (username: string, network: string): void => void pairs.add(pairOf(username, network)),
  }
}
