import type { ReactNode } from 'react'
import { cx } from '../text/cx'

/** A gray block in the shape of the content to come. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={cx('block animate-pulse rounded-mark bg-surface-3', className ?? 'h-4 w-full')}
    />
  )
}

export function SkeletonText({ lines = 3 }: { lines?: number }) {
  return (
    <div className="flex flex-col gap-2">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} className={cx('h-4', line === lines - 1 ? 'w-2/3' : 'w-full')} />
      ))}
    </div>
  )
}

const rowWidths = ['w-2/3', 'w-1/2', 'w-3/4', 'w-2/5', 'w-3/5']

/** A table placeholder: the filter, the header and rows of the final height. */
export function SkeletonRows({ rows = 8, columns = 5 }: { rows?: number; columns?: number }) {
  const cells = Array.from({ length: columns }, (_, column) => column)
  return (
    <div>
      <Skeleton className="mb-3 h-8 w-64 max-w-full rounded-control" />
      <div className="overflow-hidden rounded-card border border-line-1 bg-surface-2">
        <div className="flex h-9 items-center gap-4 border-b border-line-1 px-3">
          {cells.map((column) => (
            <span key={column} className="flex-1">
              <Skeleton className="h-3 w-16" />
            </span>
          ))}
        </div>
        {Array.from({ length: rows }, (_, row) => (
          <div key={row} className="flex h-9 items-center gap-4 border-b border-line-1 px-3 last:border-b-0">
            {cells.map((column) => (
              <span key={column} className="flex-1">
                <Skeleton className={cx('h-3.5', rowWidths[(row + column * 2) % rowWidths.length])} />
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Takes its space from the start but stays invisible for the first 150 ms, so that fast loading does not flash. */
export function Delayed({ children }: { children: ReactNode }) {
  return (
    <div className="[animation:appear_150ms_ease-out_150ms_both]" aria-busy="true">
      <span role="status" className="sr-only">
        Loading
      </span>
      {children}
    </div>
  )
}
