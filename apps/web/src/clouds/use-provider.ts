import type { ProviderId } from '@flotilla/contract/site/config'
import { providers } from '@flotilla/contract/clouds/providers'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { useApiQuery } from '../api/query'

/** Sizes and fields change when an admin syncs them, which triggers a refetch. */
const KEPT_MS = 10 * 60_000

export const useProviders = () => useApiQuery(providers.list, {}, { staleTime: KEPT_MS })

/** The cloud's data for the form and the size chooser; undefined until loaded, or if the cloud is not available. */
export const useProvider = (id: ProviderId): Provider | undefined =>
  useProviders().data?.find((provider) => provider.id === id)

/** The hourly price of each size in a region. */
export function usePrices(provider: ProviderId, region: string) {
  return useApiQuery(
    providers.prices,
    { provider, query: { region } },
    { enabled: region !== '', staleTime: KEPT_MS },
  )
}
