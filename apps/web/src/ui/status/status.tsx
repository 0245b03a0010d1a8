import type { ReactNode } from 'react'
import { cx } from '../text/cx'
import type { Tone } from './tone'

interface StatusProps {
  tone: Tone
  /** The label: color alone is never enough. */
  children: ReactNode
  detail?: ReactNode
  pulse?: boolean
}

export function Status({ tone, children, detail, pulse = tone === 'blue' }: StatusProps) {
  return (
    <span className="inline-flex max-w-full items-center gap-2">
      <span aria-hidden data-tone={tone} className={cx('status-dot', pulse && 'animate-pulse')} />
      {/* In a narrow column, the detail is truncated first, and the label only if it does not fit next to the dot. */}
      <span className="max-w-[calc(100%-16px)] shrink-0 truncate">{children}</span>
      {detail && <span className="truncate text-ink-3">{detail}</span>}
    </span>
  )
}
