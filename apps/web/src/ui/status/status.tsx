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
      <span className="truncate">{children}</span>
      {/* Gives way first: the label matters more. */}
      {detail && <span className="shrink-[99] truncate text-ink-3">{detail}</span>}
    </span>
  )
}
