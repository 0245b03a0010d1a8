import type { ProviderId } from '@flotilla/contract/site/config'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { stacks } from '@flotilla/contract/stacks/stacks'
import type { Stack } from '@flotilla/contract/stacks/entity'
import { useMemo } from 'react'
import { useApiQuery } from '../../../api/query'

export const useStackList = () => useApiQuery(stacks.list, { query: { limit: PAGE_SIZE_MAX } })

/** A provider's stacks that have an image. */
export function useStacks(provider: ProviderId): readonly Stack[] {
  const { data } = useStackList()
  return useMemo(
    () => (data ?? []).filter((stack) => stack.provider === provider && stack.images.length > 0),
    [data, provider],
  )
}
