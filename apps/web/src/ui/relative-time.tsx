import { absoluteTime, relativeTime } from './time-text'
import { useTicking } from './use-now'

/** How long ago, or how long until; the exact moment on hover. Missing is a dash. */
export function RelativeTime({ at }: { at: number | Date | null | undefined }) {
  const moment = at === null || at === undefined ? null : Number(at)
  const text = useTicking((now) => (moment === null ? '' : relativeTime(moment, now)))
  if (moment === null) return <span className="text-ink-3">–</span>
  return (
    <time
      dateTime={new Date(moment).toISOString()}
      title={absoluteTime(moment)}
      className="whitespace-nowrap tabular-nums"
    >
      {text}
    </time>
  )
}
