import { useSearchParam, useSetSearch } from '../../../paths'
import { cx } from '../../../ui/text/cx'
import type { Tone } from '../../../ui/status/tone'
import { capital } from '../cluster-text'

const STATE = 'state'

/** The search parameters of a table filtered by state. */
export const stateFilter = (state: string): Record<string, string> => ({ [STATE]: state })

/** The state filter, for the table below the chips. */
export function useStateFilter() {
  const setSearch = useSetSearch()
  return { state: useSearchParam(STATE), clear: () => setSearch({ [STATE]: undefined }) }
}

interface Props {
  /** What is filtered, such as 'jobs'. */
  label: string
  total: number
  /** The state's name is its label, unless another is given. */
  counts: readonly { state: string; text?: string; count: number; tone: Tone }[]
}

const number = new Intl.NumberFormat()

/** The count of each state; a click shows only those, a second click shows all. Combines with the text filter. */
export function StateFilters({ label, total, counts }: Props) {
  const shown = useSearchParam(STATE)
  const setSearch = useSetSearch()
  return (
    <div role="group" aria-label={`Filter ${label} by state`} className="mb-3 flex flex-wrap gap-2">
      <Chip
        text="All"
        count={total}
        chosen={shown === undefined}
        onClick={() => setSearch({ [STATE]: undefined })}
      />
      {counts.map(({ state, text = capital(state), count, tone }) => (
        <Chip
          key={state}
          text={text}
          count={count}
          tone={tone}
          chosen={shown === state}
          onClick={() => setSearch({ [STATE]: shown === state ? undefined : state })}
        />
      ))}
    </div>
  )
}

interface ChipProps {
  text: string
  count: number
  tone?: Tone
  chosen: boolean
  onClick: () => void
}

function Chip({ text, count, tone, chosen, onClick }: ChipProps) {
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
      <span className="font-medium text-ink-1 tabular-nums">{number.format(count)}</span>
    </button>
  )
}
