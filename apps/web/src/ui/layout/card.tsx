import type { ReactNode } from 'react'
import { cx } from '../text/cx'

interface CardProps {
  title?: ReactNode
  description?: ReactNode
  actions?: ReactNode
  footer?: ReactNode
  /** No padding, for a table or list that reaches the edges. */
  flush?: boolean
  id?: string
  className?: string
  children?: ReactNode
}

export function Card({ title, description, actions, footer, flush, id, className, children }: CardProps) {
  return (
    <section
      id={id}
      className={cx('flex min-w-0 flex-col rounded-card border border-line-1 bg-surface-2', className)}
    >
      {(title || actions) && (
        <header
          className={cx(
            'flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 pt-4',
            flush && 'pb-3',
          )}
        >
          <div className="min-w-0 sm:flex-1 sm:basis-64">
            {title && <h2 className="text-section font-semibold">{title}</h2>}
            {description && <p className="mt-0.5 text-body text-ink-2">{description}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      {children !== undefined && <div className={cx('grow', !flush && 'p-4')}>{children}</div>}
      {footer && (
        <footer className="flex flex-wrap items-center justify-end gap-2 rounded-b-card border-t border-line-1 bg-surface-1 px-4 py-3">
          {footer}
        </footer>
      )}
    </section>
  )
}
