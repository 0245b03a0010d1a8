import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { RuntimeConfigFiles } from '../../runtime/runtime'
import type { Clouds } from '../clouds/clouds'
import type { Credentials } from '../credentials/credentials'
import type { Settings } from '../settings/settings'
import { makeProviders } from './providers'
import { bindProviders } from './routes'

type Deps = {
  db: Database
  runtime: RuntimeConfigFiles
  settings: Settings
  credentials: Credentials
  clouds: Clouds
  simulated: boolean
  now: () => number
}

export function openProviders({ db, runtime, settings, credentials, clouds, simulated, now }: Deps) {
  const api = makeProviders({
    db,
    overrides: runtime.providers,
    offeredTo: settings.providersFor,
    credentials,
    driver: clouds.driver,
    ask: clouds.ask,
    siteFacts: async () => {
      const [{ source }, { vncTokenAuthentication, vncRemoteClient }] = await Promise.all([
        settings.torqueSource(),
        settings.site(),
      ])
      return {
        torqueSource: source !== null,
        desktopDefaults: { vncTokenAuthentication, vncRemoteClient },
      }
    },
    simulated,
    now,
  })
  return { api, bind: (bind: Bind) => bindProviders(bind, api) }
}
