import type { Cluster } from '@flotilla/contract/clusters/entity'
import { files } from '@flotilla/contract/jobs/files'
import { useState } from 'react'
import { useApiQuery } from '../../api/query'
import { OUTPUTS } from './file-search'

/** Clusters that the user can use. Those that the console could reach last time come first. */
const candidatesOf = (all: readonly Cluster[]): string[] =>
  all
    .filter(({ info, submitBlockedReason }) => info.state === 'available' && submitBlockedReason === null)
    .toSorted((a, b) => Number(a.freshness.error !== null) - Number(b.freshness.error !== null))
    .map(({ id }) => id)

/**
 * The area to open unless one was chosen: the first cluster whose files the user's account can list, or the outputs.
 * Undefined while that is not known yet.
 */
export function useDefaultArea(all: readonly Cluster[], chosen: string | undefined): string | undefined {
  const [candidates] = useState(() => candidatesOf(all))
  const [failed, setFailed] = useState(0)
  const next = candidates[failed]
  const home = useApiQuery(
    files.list,
    { cluster: next ?? '', query: { path: '' } },
    // No retries: if this cluster does not respond, the next one may.
    { enabled: chosen === undefined && next !== undefined, retry: false },
  )
  if (chosen !== undefined) return chosen
  // No cluster responds. The first one is opened and shows the reason.
  if (next === undefined) return candidates[0] ?? OUTPUTS
  if (home.error && !home.isFetching) setFailed(failed + 1)
  return home.data ? next : undefined
}
