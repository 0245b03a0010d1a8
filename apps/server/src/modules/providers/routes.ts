import { providers as calls } from '@flotilla/contract/clouds/providers'
import type { Bind } from '../../http/bind'
import type { Providers } from './providers'

export function bindProviders(bind: Bind, providers: Providers): void {
  bind(calls.list, (_input, me) => providers.list(me))
  bind(calls.sizesHash, () => providers.sizesHash())
  bind(calls.prices, ({ provider, query }) => providers.prices(provider, query.region))
  bind(calls.osTypes, ({ provider }) => providers.osTypes(provider))
  bind(calls.sync, ({ body }, me, context) => providers.sync(me, body, context))
}
