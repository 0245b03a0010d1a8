import type { Database } from '../../db/database'
import type { Secrets } from '../../secrets/secrets'
import { makeOneTime } from './onetime'

type Deps = { db: Database; secrets: Secrets; now: () => number }

export function openOneTime({ db, secrets, now }: Deps) {
  const api = makeOneTime(db, secrets.deriveKey('one-time secrets'), now)
  return { api, sweep: api.sweep }
}
