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

/** Nothing is opened or loaded before the user asks for it; an existing terminal is shown immediately. */
export function OwnTerminal({ clusterId, host, blockedReason, className }: Props) {
  const [asked, setAsked] = useState(() => keptTerminal(clusterId).load() !== null)
  const isTypedInto = useStore(typing)?.clusterId === clusterId
  if (isTypedInto && !asked && !blockedReason) setAsked(true)
  if (asked) {
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
          <Button variant="primary" disabledReason={blockedReason} onClick={() => setAsked(true)}>
            Open terminal
          </Button>
        }
      >
        A shell on {host} under your own account. Opening one is recorded in Activities.
      </EmptyState>
    </div>
  )
}
