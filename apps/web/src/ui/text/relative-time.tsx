import { useTimeText } from './use-time-text'

/** A relative time with the exact time on hover, or the reverse, as the user chose. A missing time is a dash. */
export function RelativeTime({ at }: { at: number | Date | null | undefined }) {
  if (at === null || at === undefined) return <span className="text-ink-3">–</span>
  return <Moment at={Number(at)} />
}

function Moment({ at }: { at: number }) {
  const { text, title } = useTimeText(at)
  return (
    <time dateTime={new Date(at).toISOString()} title={title} className="whitespace-nowrap tabular-nums">
      {text}
    </time>
  )
}
