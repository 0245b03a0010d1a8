import type { ReactNode } from 'react'
import { cx } from '../text/cx'
import { toneDot } from '../status/tone'
import type { Tone } from '../status/tone'

interface ProgressBarProps {
  label: string
  /** 0 to 1; undefined if the remaining time is unknown. */
  value?: number | undefined
  tone?: Tone
  /** The step, the elapsed time, the last log line. */
  detail?: ReactNode
}

export function ProgressBar({ label, value, tone = 'blue', detail }: ProgressBarProps) {
  const percent = value === undefined ? undefined : Math.round(Math.max(0, Math.min(1, value)) * 100)
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex justify-between gap-4 text-body">
        <span className="truncate font-medium">{label}</span>
        {percent !== undefined && <span className="text-ink-2 tabular-nums">{percent}%</span>}
      </div>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="h-1.5 overflow-hidden rounded-full bg-surface-3"
      >
        <div
          className={cx(
            'h-full rounded-full',
            toneDot[tone],
            percent === undefined && 'w-1/3 animate-unknown',
          )}
          style={percent === undefined ? undefined : { width: `${percent}%` }}
        />
      </div>
      {/* A reason is shown in full; progress details have one line. */}
      {detail && (
        <p className={cx('text-label', tone === 'red' ? 'break-words text-red' : 'truncate text-ink-3')}>
          {detail}
        </p>
      )}
    </div>
  )
}
