import type { ReactNode } from 'react'
import { cx } from './cx'

interface KeyValueProps {
  items: readonly { label: string; value: ReactNode }[]
  columns?: 1 | 2 | 3
}

const grid = { 1: 'grid-cols-1', 2: 'sm:grid-cols-2', 3: 'sm:grid-cols-2 lg:grid-cols-3' }

/** Facts about one item. A missing value is a dash, so that it does not look like it is still loading. */
export function KeyValue({ items, columns = 1 }: KeyValueProps) {
  return (
    <dl className={cx('grid gap-x-8', grid[columns])}>
      {items.map((item) => (
        <div
          key={item.label}
          className={cx(
            'flex min-h-9 min-w-0 items-center gap-4 border-b border-line-1 py-2 max-sm:gap-3 last:border-b-0',
            // With two columns, the last row has two items without a border.
            columns === 2 && 'sm:nth-last-2:odd:border-b-0',
          )}
        >
          <dt className={cx('shrink-0 max-sm:w-24 text-ink-3', columns === 1 ? 'w-32' : 'w-28')}>
            {item.label}
          </dt>
          <dd className="min-w-0 wrap-break-word">
            {item.value === null || item.value === undefined || item.value === '' ? (
              <span className="text-ink-3">–</span>
            ) : (
              item.value
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
