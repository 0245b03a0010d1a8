import { useSearchParam, useSetSearch } from '../../../paths'
import { StateChips } from '../../../table/state/state-chips'
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
  /** The rows being filtered, such as 'jobs'. */
  label: string
  total: number
  /** The states with their counts. The label is the state's name unless `text` is given. */
  counts: readonly { state: string; text?: string; count: number; tone: Tone }[]
}

/** The filter chips of a cluster's table. The chosen state is part of the URL. */
export function StateFilters({ label, total, counts }: Props) {
  const setSearch = useSetSearch()
  return (
    <StateChips
      label={label}
      total={total}
      counts={counts.map((one) => ({ text: capital(one.state), ...one }))}
      value={useSearchParam(STATE)}
      onChange={(state) => setSearch({ [STATE]: state })}
    />
  )
}
