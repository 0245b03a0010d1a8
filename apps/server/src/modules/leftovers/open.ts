import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { Clouds } from '../clouds/clouds'
import type { Credentials } from '../credentials/credentials'
import type { Providers } from '../providers/providers'
import { leftoversTask, makeLeftovers } from './leftovers'
import { bindLeftovers } from './routes'

type Deps = {
  db: Database
  credentials: Credentials
  providers: Providers
  clouds: Clouds
  now: () => number
}

export function openLeftovers({ db, credentials, providers, clouds, now }: Deps) {
  const api = makeLeftovers({
    db,
    credential: credentials.use,
    catalog: providers.catalogFor,
    driver: clouds.driver,
    queryCloud: clouds.queryCloud,
    now,
  })
  return {
    api,
    bind: (bind: Bind) => bindLeftovers(bind, api),
    tasks: [api.handler],
    schedules: [{ task: leftoversTask, match: '17 * * * *' }],
  }
}
