import type { Database } from '../../db/database'
import { makeSnapshots } from './snapshots'

export function openSnapshots({ db, now }: { db: Database; now: () => number }) {
  const api = makeSnapshots(db, now)
  return { api, sweep: api.sweep }
}
