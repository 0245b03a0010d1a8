import { Link } from '@tanstack/react-router'
import { useSearchParam } from '../../../paths'
import { cx } from '../../../ui/cx'
import type { Tone } from '../../../ui/tone'
import { capital } from '../cluster-words'

/** The address of a table that shows one state only: the same words as its filter. */
export const stateFilter = (state: string): Record<string, string> => ({
  q: state,
  by: 'matches',
  in: 'state',
})

interface Props {
  /** Of what: 'jobs'. */
  label: string
  total: number
  counts: readonly { state: string; count: number; tone: Tone }[]
}

const number = new Intl.NumberFormat()

/** How many of each state; a click shows only those, another one all again. */
export function StateFilters({ label, total, counts }: Props) {
  const column = useSearchParam('in')
  const by = useSearchParam('by')
  const text = useSearchParam('q')
  return (
    <nav aria-label={`Filter ${label} by state`} className="mb-3 flex flex-wrap gap-2">
      <Chip word="All" count={total} chosen={!text} search={{}} />
      {counts.map(({ state, count, tone }) => {
        const chosen = column === 'state' && by === 'matches' && text === state
        return (
          <Chip
            key={state}
            word={capital(state)}
            count={count}
            tone={tone}
            chosen={chosen}
            search={chosen ? {} : stateFilter(state)}
          />
        )
      })}
    </nav>
  )
}

interface ChipProps {
  word: string
  count: number
  tone?: Tone
  chosen: boolean
  search: Record<string, string>
}

function Chip({ word, count, tone, chosen, search }: ChipProps) {
  return (
    <Link
      to="."
      search={search}
      replace
      resetScroll={false}
      aria-current={chosen ? 'true' : undefined}
      className={cx(
        'inline-flex h-7 items-center gap-1.5 rounded-control border px-2 text-label transition-colors',
        chosen
          ? 'border-accent bg-accent-soft text-ink-1'
          : 'border-line-1 bg-surface-2 text-ink-2 hover:border-line-3 hover:text-ink-1',
      )}
    >
      {tone && <span aria-hidden data-tone={tone} className="status-dot" />}
      <span>{word}</span>
      <span className="font-medium text-ink-1 tabular-nums">{number.format(count)}</span>
    </Link>
  )
}
