import type { Database } from '../../db/database'
import type { RuntimeConfigFiles } from '../../runtime/runtime'
import type { Secrets } from '../../secrets/secrets'
import { makeSessions } from './sessions'
import { makeTokens } from './tokens'

type Deps = {
  db: Database
  secrets: Secrets
  runtime: RuntimeConfigFiles
  receivesChanges: () => boolean
  now: () => number
}

export function openSessions({ db, secrets, runtime, receivesChanges, now }: Deps) {
  const tokens = makeTokens(secrets.deriveKey('session tokens'), now)
  const idleTimer = async () => (await runtime.config()).idleTimer
  const api = makeSessions({ db, tokens, idleTimer, receivesChanges, now })
  return { api, sweep: api.sweep }
}
