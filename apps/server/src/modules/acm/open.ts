import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { Clouds } from '../clouds/clouds'
import type { Credentials } from '../credentials/credentials'
import type { Providers } from '../providers/providers'
import { makeAcm } from './acm'
import { bindAcm } from './routes'

type Deps = { db: Database; credentials: Credentials; providers: Providers; clouds: Clouds }

export function openAcm({ clouds, ...deps }: Deps) {
  const acm = makeAcm({ ...deps, client: clouds.maas, queryCloud: clouds.queryCloud })
  return { bind: (bind: Bind) => bindAcm(bind, acm) }
}
