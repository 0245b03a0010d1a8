import { CircleAlert, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../button/button'

interface ErrorStateProps {
  title?: string
  /** What went wrong. */
  cause: ReactNode
  /** What to do about it. */
  nextStep?: ReactNode
  onRetry?: () => void
  busy?: boolean
}

export function ErrorState({
  title = 'Could not load this',
  cause,
  nextStep,
  onRetry,
  busy,
}: ErrorStateProps) {
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-3 flex size-10 items-center justify-center rounded-card bg-red-soft text-red">
        <CircleAlert size={20} strokeWidth={1.75} aria-hidden />
      </span>
      <p className="text-form font-medium">{title}</p>
      <p className="mt-1 max-w-112 text-body wrap-break-word text-ink-2">{cause}</p>
      {nextStep && <p className="mt-1 max-w-112 text-body text-ink-2">{nextStep}</p>}
      {onRetry && (
        <Button icon={RotateCw} onClick={onRetry} busy={busy} className="mt-4">
          Try again
        </Button>
      )}
    </div>
  )
}
