import type { ReactNode } from 'react'
import { TextLink } from '../ui/button/link'
import { AT_LEAST, NO_PRICE } from '../ui/text/price-text'
import { cx } from '../ui/text/cx'

interface FiguresProps {
  items: readonly {
    label: string
    value: ReactNode
    note?: ReactNode
    /** The table with the parts of the figure. */
    link?: { to: string; search: Record<string, string> }
  }[]
}

/** The number stands out from the words around it. */
function Figure({ value }: { value: ReactNode }) {
  if (value === NO_PRICE) return <span className="font-normal text-ink-3">No price</span>
  if (typeof value !== 'string' || !value.startsWith(AT_LEAST)) return value
  return (
    <>
      <span className="text-label font-normal text-ink-2">{AT_LEAST}</span>
      {value.slice(AT_LEAST.length)}
    </>
  )
}

/** The totals of a page. */
export function Figures({ items }: FiguresProps) {
  return (
    <dl
      className={cx(
        'grid grid-cols-2 gap-3 md:grid-cols-3',
        items.length === 5 ? 'xl:grid-cols-5' : 'xl:grid-cols-6',
      )}
    >
      {items.map(({ label, value, note, link }) => (
        <div key={label} className="min-w-0 rounded-card border border-line-1 bg-surface-2 px-4 py-3">
          <dt className="text-label text-ink-3">{label}</dt>
          <dd className="mt-1 text-section font-semibold tabular-nums wrap-break-word">
            {link ? (
              <TextLink {...link}>
                <Figure value={value} />
              </TextLink>
            ) : (
              <Figure value={value} />
            )}
          </dd>
          {note && <dd className="mt-0.5 text-label text-ink-2">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
