import type { leftovers } from '@flotilla/contract/clusters/leftovers'
import type { Reply } from '@flotilla/contract/endpoint'
import { CloudOff, Search, ShieldCheck } from 'lucide-react'
import { EmptyState } from '../../../ui/empty-state'

interface Props {
  found: Reply<typeof leftovers.list>
  /** Somebody has just searched. */
  searched: boolean
}

/** Not searched, nowhere to search, not all answered, and none: four different things. */
export function NoLeftovers({ found: { searchedAt, failures }, searched }: Props) {
  if (searchedAt === null && searched)
    return (
      <EmptyState icon={CloudOff} title="Nowhere to search">
        No credential was used for a cluster or a stack yet, so there can be nothing of ours in a cloud.
      </EmptyState>
    )
  if (searchedAt === null)
    return (
      <EmptyState icon={Search} title="Not searched yet">
        Leftovers are things in a cloud that carry our tag and that no cluster uses. The first search is
        within an hour, or now.
      </EmptyState>
    )
  if (failures.length > 0)
    return (
      <EmptyState icon={Search} title="None found in the clouds that answered">
        Not every credential could be searched: what those have is not known.
      </EmptyState>
    )
  return (
    <EmptyState icon={ShieldCheck} title="No leftovers">
      Everything in the clouds that carries our tag belongs to a cluster or a stack. A disk that is kept when
      its cluster is destroyed is listed here.
    </EmptyState>
  )
}
