import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../text/cx'
import { Glyph } from '../status/icon'

const styles = {
  red: { icon: CircleAlert, frame: 'border-red/40 bg-red-soft', glyph: 'text-red' },
  amber: { icon: TriangleAlert, frame: 'border-amber/40 bg-amber-soft', glyph: 'text-amber' },
  green: { icon: CircleCheck, frame: 'border-green/40 bg-green-soft', glyph: 'text-green' },
  gray: { icon: Info, frame: 'border-line-2 bg-surface-3', glyph: 'text-ink-3' },
}

interface CalloutProps {
  tone: keyof typeof styles
  title?: ReactNode
  /** An alert is announced when it appears; omit it for initial content. */
  alert?: boolean
  children?: ReactNode
}

/** A few sentences that belong to a form or card, and stay until their cause is resolved. */
export function Callout({ tone, title, alert, children }: CalloutProps) {
  const { icon, frame, glyph } = styles[tone]
  return (
    <div
      role={alert ? 'alert' : undefined}
      className={cx('flex gap-2.5 rounded-control border px-3 py-2.5', frame)}
    >
      <Glyph icon={icon} className={cx('mt-px shrink-0', glyph)} />
      <div className="flex min-w-0 flex-col gap-1 text-body text-ink-1 wrap-anywhere">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className="text-ink-1">{children}</div>}
      </div>
    </div>
  )
}
