import type { ReactNode } from 'react'
import type { Icon } from '../status/icon'

interface EmptyStateProps {
  icon: Icon
  /** What is missing, in one line. */
  title: string
  /** What would be here and how it gets here, in one sentence. */
  children?: ReactNode
  /** One action. */
  action?: ReactNode
}

export function EmptyState({ icon: Drawing, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-3 flex size-10 items-center justify-center rounded-card border border-line-1 bg-surface-1 text-ink-3">
        <Drawing size={20} strokeWidth={1.75} aria-hidden />
      </span>
      <p className="text-form font-medium">{title}</p>
      {children && <p className="mt-1 max-w-96 text-body text-balance text-ink-2">{children}</p>}
      {action && <div className="mt-4 max-w-full">{action}</div>}
    </div>
  )
}
