import type { Database } from '../../db/database'
import { makeAttempts } from './attempts'

export function openAttempts({ db, now }: { db: Database; now: () => number }) {
  const api = makeAttempts(db, now)
  return { api, sweep: api.sweep }
}
