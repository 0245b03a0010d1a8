import type { Database } from '../../db/database'
import type { ClusterAccess } from '../clusters/open'
import type { Sessions } from '../sessions/sessions'
import { makeTerminals } from './terminals'

type Deps = { db: Database; access: ClusterAccess; sessions: Sessions }

export function openTerminals({ db, access, sessions }: Deps) {
  const api = makeTerminals(db, access, sessions.caller)
  return { api, stop: api.closeAll }
}
