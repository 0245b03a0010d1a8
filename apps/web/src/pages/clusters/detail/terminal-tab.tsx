import { clusterMay, clusterMayNot } from '@flotilla/contract/clusters/states'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { SquareTerminal } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { Button } from '../../../ui/button/button'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { Delayed, Skeleton } from '../../../ui/feedback/skeleton'
import { headOf } from '../cluster-text'
import { keptTerminal } from '../../../terminal/kept-terminal'

const TerminalScreen = lazy(() => import('../../../terminal/terminal-screen'))

/** Nothing is opened or loaded before the user asks for it; an existing terminal is shown immediately. */
export function TerminalTab({ cluster }: { cluster: Cluster }) {
  const kept = keptTerminal(cluster.id)
  const [open, setOpen] = useState(() => kept.load() !== null)
  const { state } = cluster.info
  if (open) {
    return (
      <Suspense
        fallback={
          <Delayed>
            <Skeleton className="h-96 w-full rounded-card" />
          </Delayed>
        }
      >
        <TerminalScreen clusterId={cluster.id} host={headOf(cluster)} />
      </Suspense>
    )
  }
  return (
    <div className="rounded-card border border-line-1 bg-surface-2">
      <EmptyState
        icon={SquareTerminal}
        title="Terminal"
        action={
          <Button
            variant="primary"
            disabledReason={
              clusterMay('reach', state) ? cluster.accountBlockedReason : clusterMayNot('reach', state)
            }
            onClick={() => setOpen(true)}
          >
            Open terminal
          </Button>
        }
      >
        A shell on {headOf(cluster)} under your own account. Opening one is recorded in Activities.
      </EmptyState>
    </div>
  )
}
