import { cx } from '../text/cx'
import { useTimeText } from '../text/use-time-text'
import { useTicking } from '../text/use-now'

interface StaleProps {
  /** When the data was last known to be current; 0 or null if never. */
  since: number | null
  /** From this age on, it is amber. */
  staleAfterMs?: number
  /** The last refresh failed. */
  failed?: boolean
}

/** The age of live data: always visible, amber when too old to trust. */
export function Stale({ since, staleAfterMs = 30_000, failed = false }: StaleProps) {
  // If the browser's clock is behind the server's, shows 'just now', not 'in 2 s'.
  const moment = useTicking((now) => Math.min(since ?? 0, now))
  const { text, title } = useTimeText(moment)
  const late = useTicking((now) => now - (since ?? 0) >= staleAfterMs)
  if (!since) return null
  const old = failed || late
  return (
    <span
      title={title}
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
