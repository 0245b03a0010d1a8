import { acm } from '@flotilla/contract/clouds/acm'
import type { AcmShape } from '@flotilla/contract/clouds/acm'
import type { ProviderId } from '@flotilla/contract/site/config'
import { stacks } from '@flotilla/contract/stacks/stacks'
import { useApiQuery } from '../api/query'
import { groupOfAcm, groupOfStacks } from './images/image-groups'
import type { ImageGroup } from './images/image-groups'

/** Filling in a form takes minutes; a site's machines and images change less often. */
const KEPT_MS = 60_000

export interface Listed<T> {
  found: T
  /** Why there is nothing to choose from, if the user needs to know; null otherwise. */
  reason: string | null
}

const unavailableReason = (message: string) =>
  `Could not list what your MAAS offers: ${message.replace(/\.$/, '')}.`

/** The current shapes of a MAAS's machines; none for other providers. */
export function useShapes(provider: ProviderId, credentialId: string): Listed<readonly AcmShape[]> {
  const isAcm = provider === 'maas'
  const { data, error } = useApiQuery(
    acm.shapes,
    { query: { credentialId } },
    { enabled: isAcm && credentialId !== '', staleTime: KEPT_MS },
  )
  return { found: data ?? [], reason: isAcm && error ? unavailableReason(error.message) : null }
}

/** The images a field can offer: a MAAS's, or those that stacks have built in the region. */
export function useImages(
  provider: ProviderId,
  credentialId: string,
  region: string,
): Listed<readonly ImageGroup[]> {
  const isAcm = provider === 'maas'
  const ofAcm = useApiQuery(
    acm.images,
    { query: { credentialId } },
    { enabled: isAcm && credentialId !== '', staleTime: KEPT_MS },
  )
  const info = useImagesInfo(provider)
  const groups = isAcm
    ? ofAcm.data && [groupOfAcm(ofAcm.data)]
    : info.data && [groupOfStacks(info.data, region)]
  return {
    found: (groups ?? []).filter(({ options }) => options.length > 0),
    reason: isAcm && ofAcm.error ? unavailableReason(ofAcm.error.message) : null,
  }
}

/** A provider's public images, and those of stacks. */
export const useImagesInfo = (provider: ProviderId) =>
  useApiQuery(stacks.imagesInfo, { provider }, { enabled: provider !== 'maas', staleTime: KEPT_MS })
