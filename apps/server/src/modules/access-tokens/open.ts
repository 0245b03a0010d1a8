import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { Secrets } from '../../secrets/secrets'
import { makeAccessTokens } from './access-tokens'
import { bindAccessTokens } from './routes'

type Deps = { db: Database; secrets: Secrets; now: () => number }

export function openAccessTokens({ db, secrets, now }: Deps) {
  const api = makeAccessTokens({ db, key: secrets.deriveKey('access tokens'), now })
  return { api, bind: (bind: Bind) => bindAccessTokens(bind, api), sweep: api.sweep }
}
