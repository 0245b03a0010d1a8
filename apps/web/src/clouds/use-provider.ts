import type { ProviderId } from '@flotilla/contract/site/config'
import { providers } from '@flotilla/contract/clouds/providers'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { useApiQuery } from '../api/query'

/** Sizes and fields change when an admin syncs them, which is told by itself. */
const KEPT_MS = 10 * 60_000

export const useProviders = () => useApiQuery(providers.list, {}, { staleTime: KEPT_MS })

/** What the form and the size chooser know about a cloud; undefined until it is here, or where it is not offered. */
export const useProvider = (id: ProviderId): Provider | undefined =>
  useProviders().data?.find((provider) => provider.id === id)

/** What each size costs an hour in a region. */
export function usePrices(provider: ProviderId, region: string) {
  return useApiQuery(
    providers.prices,
    { provider, query: { region } },
    { enabled: region !== '', staleTime: KEPT_MS },
  )
}
