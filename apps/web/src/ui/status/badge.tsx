import type { ReactNode } from 'react'
import { cx } from '../text/cx'
import { toneSoft } from './tone'
import type { Tone } from './tone'

/** A short label that is not a state: a role, a kind, a version. */
export function Badge({ tone = 'gray', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-flex h-5 items-center rounded-mark px-1.5 text-label font-medium whitespace-nowrap',
        toneSoft[tone],
      )}
    >
      {children}
    </span>
  )
}
