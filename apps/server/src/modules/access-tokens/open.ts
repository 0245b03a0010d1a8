import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import { sealContext } from '../../secrets/sealed-values'
import { tokenKeyUnder, type Secrets } from '../../secrets/secrets'
import { makeAccessTokens } from './access-tokens'
import { bindAccessTokens } from './routes'
import { sealedTokenKey } from './store'

type Deps = { db: Database; secrets: Secrets; now: () => number }

export async function openAccessTokens({ db, secrets, now }: Deps) {
  const sealed = await sealedTokenKey(db.kysely)
  // Tokens survive a rotation of the master key, because the key of their hashes is stored.
  const key = sealed === null ? tokenKeyUnder(secrets) : secrets.open(sealed, sealContext.accessTokenKey())
  const api = makeAccessTokens({ db, key, now })
  return { api, bind: (bind: Bind) => bindAccessTokens(bind, api), sweep: api.sweep }
}
