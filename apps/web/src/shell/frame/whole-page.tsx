import type { ReactNode } from 'react'
import { PlainButton } from '../../ui/button/plain-button'

type WholePageProps = {
  title: string
  children: ReactNode
  action: { label: string; onClick: () => void; busy?: boolean }
  /** An alternative to the action, shown next to it. */
  beside?: ReactNode
}

/** A single card in the window, for whatever blocks the whole app. */
export function WholePage({ title, children, action, beside }: WholePageProps) {
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div
        role="alert"
        className="w-full max-w-110 animate-appear rounded-card border border-line-1 bg-surface-2 p-6 text-form text-ink-2"
      >
        <h1 className="mb-3 text-section font-semibold text-ink-1">{title}</h1>
        {children}
        <div className="mt-5 flex flex-wrap items-center gap-4">
          <PlainButton variant="primary" onClick={action.onClick} busy={action.busy ?? false}>
            {action.label}
          </PlainButton>
          {beside}
        </div>
      </div>
    </main>
  )
}
