import { SquareTerminal } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useStore } from '../store'
import { Button } from '../ui/button/button'
import { EmptyState } from '../ui/feedback/empty-state'
import { Delayed, Skeleton } from '../ui/feedback/skeleton'
import { keptTerminal } from './kept-terminal'
import { typing } from './typing'

const TerminalScreen = lazy(() => import('./terminal-screen'))

interface Props {
  clusterId: string
  /** The machine that the shell runs on. */
  host: string
  blockedReason: string | null
  className?: string
}

/** A terminal is loaded and opened only on request; an existing one is shown immediately. */
export function OwnTerminal({ clusterId, host, blockedReason, className }: Props) {
  const [isOpen, setIsOpen] = useState(() => keptTerminal(clusterId).load() !== null)
  const isTypedInto = useStore(typing)?.clusterId === clusterId
  if (isTypedInto && !isOpen && !blockedReason) setIsOpen(true)
  if (isOpen) {
    return (
      <Suspense
        fallback={
          <Delayed>
            <Skeleton className="h-96 w-full rounded-card" />
          </Delayed>
        }
      >
        <TerminalScreen clusterId={clusterId} host={host} {...(className && { className })} />
      </Suspense>
    )
  }
  return (
    <div className="rounded-card border border-line-1 bg-surface-2">
      <EmptyState
        icon={SquareTerminal}
        title="Terminal"
        action={
          <Button variant="primary" disabledReason={blockedReason} onClick={() => setIsOpen(true)}>
            Open terminal
          </Button>
        }
      >
        A shell on {host} under your own account. Opening one is recorded in Activities.
      </EmptyState>
    </div>
  )
}
