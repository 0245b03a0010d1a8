import { packagesOfSource } from '@flotilla/contract/site/torque-source'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import { consoleRanges } from '../../network/console-ranges'
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
  siteUrl: () => Promise<string>
  now: () => number
}

export function openProviders(deps: Deps) {
  const { db, runtime, settings, credentials, clouds, siteUrl, now } = deps
  const api = makeProviders({
    db,
    overrides: runtime.providers,
    offeredTo: settings.providersFor,
    credentials,
    clouds,
    siteFacts: async () => {
      const [source, { vncTokenAuthentication, vncRemoteClient }, ranges] = await Promise.all([
        settings.torqueSource(),
        settings.site(),
        siteUrl().then(consoleRanges),
      ])
      return {
        torqueSource: source !== null,
        torquePackages: source && packagesOfSource(source.file),
        desktopDefaults: { vncTokenAuthentication, vncRemoteClient },
        consoleRanges: ranges,
      }
    },
    now,
  })
  return { api, bind: (bind: Bind) => bindProviders(bind, api) }
}
