import { cx } from '../../../../ui/text/cx'

interface MeterProps {
  label: string
  value: number
  of: number
  /** Shown next to the bar. */
  text: string
}

/** Usage as a short bar with numbers. */
export function Meter({ label, value, of, text }: MeterProps) {
  const share = of > 0 ? Math.min(1, value / of) : 0
  return (
    <span className="flex items-center gap-2">
      <span
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={of}
        aria-valuenow={value}
        aria-valuetext={text}
        className="h-1.5 w-14 shrink-0 overflow-hidden rounded-full bg-surface-3"
      >
        <span
          className={cx('block h-full', share >= 1 ? 'bg-blue-dot' : 'bg-green-dot')}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span className="truncate tabular-nums">{text}</span>
    </span>
  )
}
