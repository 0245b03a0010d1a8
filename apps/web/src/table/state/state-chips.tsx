import { cx } from '../../ui/text/cx'
import type { Tone } from '../../ui/status/tone'

interface Props {
  /** What is filtered, such as 'jobs'. */
  label: string
  total: number
  /** There are older rows that are not loaded and therefore not counted. */
  more?: boolean
  counts: readonly { state: string; text: string; count: number; tone: Tone }[]
  /** Undefined for all. */
  value: string | undefined
  onChange: (state: string | undefined) => void
}

const number = new Intl.NumberFormat()

/** The count of each state; a click shows only those, a second click shows all. Combines with the text filter. */
export function StateChips({ label, total, more = false, counts, value, onChange }: Props) {
  return (
    <div role="group" aria-label={`Filter ${label} by state`} className="mb-3 flex flex-wrap gap-2">
      <Chip
        text="All"
        count={total}
        more={more}
        chosen={value === undefined}
        onClick={() => onChange(undefined)}
      />
      {counts.map(({ state, ...shown }) => (
        <Chip
          key={state}
          {...shown}
          more={more}
          chosen={value === state}
          onClick={() => onChange(value === state ? undefined : state)}
        />
      ))}
    </div>
  )
}

interface ChipProps {
  text: string
  count: number
  more: boolean
  tone?: Tone
  chosen: boolean
  onClick: () => void
}

function Chip({ text, count, more, tone, chosen, onClick }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={chosen}
      onClick={onClick}
      className={cx(
        'inline-flex h-7 items-center gap-1.5 rounded-control border px-2 text-label transition-colors',
        chosen
          ? 'border-accent bg-accent-soft text-ink-1'
          : 'border-line-1 bg-surface-2 text-ink-2 hover:border-line-3 hover:text-ink-1',
      )}
    >
      {tone && <span aria-hidden data-tone={tone} className="status-dot" />}
      <span>{text}</span>
      <span className="font-medium text-ink-1 tabular-nums">
        {number.format(count)}
        {more && '+'}
      </span>
    </button>
  )
}
