import { cx } from './cx'
import { absoluteTime, relativeTime } from './time-text'
import { useTicking } from './use-now'

interface StaleProps {
  /** When the data was last known to be true; 0 or null when never. */
  since: number | null
  /** From this age on it is amber. */
  staleAfterMs?: number
  /** The last try to refresh failed. */
  failed?: boolean
}

/** How old a live view's data is: always there, amber when it is too old to trust. */
export function Stale({ since, staleAfterMs = 30_000, failed = false }: StaleProps) {
  const text = useTicking((now) => relativeTime(Math.min(since ?? 0, now), now))
  const late = useTicking((now) => now - (since ?? 0) >= staleAfterMs)
  if (!since) return null
  const old = failed || late
  return (
    <span
      title={absoluteTime(since)}
      className={cx(
        'inline-flex items-center gap-1.5 text-label whitespace-nowrap tabular-nums',
        old ? 'text-amber' : 'text-ink-3',
      )}
    >
      {old && <span aria-hidden data-tone="amber" className="status-dot" />}
      {failed && 'could not refresh, '}
      updated {text}
    </span>
  )
}
