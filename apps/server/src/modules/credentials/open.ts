import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import { cloudProviders } from '../../providers/registry'
import type { Secrets } from '../../secrets/secrets'
import type { Clouds } from '../clouds/clouds'
import type { Settings } from '../settings/settings'
import { makeCredentials, type UsedBy } from './credentials'
import { bindCredentials } from './routes'

type Deps = {
  db: Database
  secrets: Secrets
  clouds: Clouds
  requireProvider: Settings['requireProvider']
  usedBy: UsedBy[]
  now: () => number
}

export function openCredentials(deps: Deps) {
  const facts = (provider: keyof typeof cloudProviders) => cloudProviders[provider]
  const api = makeCredentials({ ...deps, facts })
  return { api, bind: (bind: Bind) => bindCredentials(bind, api) }
}
