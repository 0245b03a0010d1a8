import type { ReactNode } from 'react'
import { cx } from '../ui/text/cx'

interface FiguresProps {
  items: readonly { label: string; value: ReactNode; note?: ReactNode }[]
}

/** The sums of a page at a glance. */
export function Figures({ items }: FiguresProps) {
  return (
    <dl
      className={cx(
        'grid grid-cols-2 gap-3 md:grid-cols-3',
        items.length === 5 ? 'xl:grid-cols-5' : 'xl:grid-cols-6',
      )}
    >
      {items.map(({ label, value, note }) => (
        <div key={label} className="min-w-0 rounded-card border border-line-1 bg-surface-2 px-4 py-3">
          <dt className="text-label text-ink-3">{label}</dt>
          <dd className="mt-1 text-section font-semibold tabular-nums wrap-break-word">{value}</dd>
          {note && <dd className="mt-0.5 text-label text-ink-2">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
