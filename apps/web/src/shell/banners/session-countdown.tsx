import { COUNTDOWN_TICK_MS } from '@flotilla/contract/limits'
import { Timer } from 'lucide-react'
import { countdownText } from '../../session/due'
import { useUser } from '../../session/user'
import { cx } from '../../ui/text/cx'
import { Glyph } from '../../ui/status/icon'
import { Tooltip } from '../../ui/overlay/tooltip'
import { useNow } from '../../ui/text/use-now'

const SOON_MS = 5 * 60_000

/** The remaining time of a timed session. session/watch ends the session itself. */
export function SessionCountdown() {
  const { endTime } = useUser()
  return endTime === null ? null : <Countdown endTime={endTime} />
}

function Countdown({ endTime }: { endTime: number }) {
  const left = endTime - useNow(COUNTDOWN_TICK_MS)
  return (
    <Tooltip content={`Your session ends at ${new Date(endTime).toLocaleString()}`}>
      <span
        role="timer"
        aria-label={`Session ends in ${countdownText(left)}`}
        className={cx(
          'flex h-8 items-center gap-1.5 rounded-control px-2 text-body font-medium tabular-nums',
          left < SOON_MS ? 'bg-amber-soft text-amber' : 'text-ink-2',
        )}
      >
        <Glyph icon={Timer} />
        {countdownText(left)}
      </span>
    </Tooltip>
  )
}
