import { Timer } from 'lucide-react'
import { Glyph } from '../../../ui/status/icon'
import { cx } from '../../../ui/text/cx'
import { useNow } from '../../../ui/text/use-now'

const SOON_MS = 10 * 60_000
const MINUTE_MS = 60_000

/** The time left, shown only in full screen, where the toolbar with its countdown is hidden. */
export function TimeLeft({ endTime }: { endTime: number }) {
  const left = endTime - useNow(10_000)
  return (
    <span
      role="timer"
      title={`Ends at ${new Date(endTime).toLocaleTimeString([], { timeStyle: 'short' })}`}
      className={cx(
        'hidden items-center gap-1.5 rounded-control px-2 py-0.5 text-body font-medium tabular-nums in-[:fullscreen]:flex',
        left < SOON_MS ? 'bg-amber-soft text-amber' : 'text-ink-2',
      )}
    >
      <Glyph icon={Timer} />
      {timeLeftText(left)}
    </span>
  )
}

function timeLeftText(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS)
  if (minutes <= 0) return 'The workshop has ended'
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${hours % 24} h left`
  return hours > 0 ? `${hours} h ${minutes % 60} min left` : `${minutes} min left`
}
