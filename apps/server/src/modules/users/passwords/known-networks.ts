import { KNOWN_NETWORK_MS } from '@flotilla/contract/limits'
import type { Database } from '../../../db/database'
import * as store from '../store'

/** The number of most recent logins kept in memory. More would hardly ever matter. */
const PAIRS_MAX = 100_000
/** Picks up what other servers write to the table. */
const REREAD_MS = 60_000

/**
 * The networks from which users have logged in recently. Kept in memory, because this is checked before anything else:
 * a flood of logins then puts no load on the database.
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
      // Makes the next login retry.
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
