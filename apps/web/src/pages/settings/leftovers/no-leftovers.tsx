import type { leftovers } from '@flotilla/contract/clusters/leftovers'
import type { Reply } from '@flotilla/contract/endpoint'
import { CloudOff, Search, ShieldCheck } from 'lucide-react'
import { EmptyState } from '../../../ui/feedback/empty-state'

interface Props {
  found: Reply<typeof leftovers.list>
  /** Whether the user has just searched. */
  searched: boolean
}

/** The empty state. It distinguishes four cases: not searched, nowhere to search, incomplete search, no leftovers. */
export function NoLeftovers({ found: { searchedAt, failures }, searched }: Props) {
  if (searchedAt === null && searched)
    return (
      <EmptyState icon={CloudOff} title="Nowhere to search">
        No credential has been used for a cluster or a stack yet, so there can be no leftovers.
      </EmptyState>
    )
  if (searchedAt === null)
    return (
      <EmptyState icon={Search} title="Not searched yet">
        Leftovers are cloud resources with this console’s tag that no cluster uses. The first search runs
        within an hour, or start one now.
      </EmptyState>
    )
  if (failures.length > 0)
    return (
      <EmptyState icon={Search} title="No leftovers in the clouds that responded">
        Some credentials could not be searched and may have leftovers.
      </EmptyState>
    )
  return (
    <EmptyState icon={ShieldCheck} title="No leftovers">
      Every cloud resource with this console’s tag belongs to a cluster or a stack. Disks that are kept when
      their cluster is destroyed appear here.
    </EmptyState>
  )
}
