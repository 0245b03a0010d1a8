import type { ReactNode } from 'react'

/** Whether the heading that was just removed had the focus. */
let focusIsPassedOn = false

/** When a loading page is replaced by the loaded one, the new heading takes over the focus. */
function passFocusOn(heading: HTMLHeadingElement) {
  if (focusIsPassedOn) {
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }
  return () => {
    focusIsPassedOn = document.activeElement === heading
    // The focus is passed on only to a heading that is rendered at the same time.
    queueMicrotask(() => (focusIsPassedOn = false))
  }
}

interface PageHeaderProps {
  title: ReactNode
  /** Next to the title: state, badge, age of the data. */
  meta?: ReactNode
  description?: ReactNode
  actions?: ReactNode
}

/** The page's only h1. */
export function PageHeader({ title, meta, description, actions }: PageHeaderProps) {
  return (
    <header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {/* Receives the focus when the page changes, for screen readers; a focus ring would be meaningless. */}
          <h1
            ref={passFocusOn}
            className="min-w-0 outline-none text-title font-semibold tracking-[-0.01em] wrap-break-word"
          >
            {title}
          </h1>
          {meta}
        </div>
        {description && <p className="mt-1 max-w-160 text-body text-ink-2">{description}</p>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  )
}
