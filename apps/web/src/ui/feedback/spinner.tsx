import { cx } from '../text/cx'

/** Announced with a label; decorative next to other text without one. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  return (
    <span role={label ? 'status' : undefined} className={cx('inline-flex items-center', className)}>
      <svg viewBox="0 0 16 16" className="size-4 animate-spin" aria-hidden>
        <circle
          cx="8"
          cy="8"
          r="6.25"
          fill="none"
          stroke="currentColor"
          strokeOpacity="0.25"
          strokeWidth="1.75"
        />
        <path
          d="M8 1.75A6.25 6.25 0 0 1 14.25 8"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.75"
          strokeLinecap="round"
        />
      </svg>
      {label && <span className="sr-only">{label}</span>}
    </span>
  )
}
