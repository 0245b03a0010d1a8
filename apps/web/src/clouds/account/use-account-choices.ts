import { credentials } from '@flotilla/contract/clouds/credentials'
import { useApiQuery } from '../../api/query'
import { useDebounced } from '../../ui/form/use-debounced'

/** Filling in a form takes minutes; an account changes less often. */
const KEPT_MS = 60_000
const TYPING_MS = 400

/** Identifies the resources of a cloud account that a field can refer to. */
export interface AccountQuery {
  credential: string
  region: string
  /** The path of the field. */
  field: string
}

/** The cloud account's resources for a field. A search queries the cloud again only if the first list was truncated. */
export function useAccountChoices({ credential, region, field }: AccountQuery, typed: string) {
  const search = useDebounced(typed, TYPING_MS)
  const input = (text: string) => ({ id: credential, query: { field, region, search: text } })
  const options = { staleTime: KEPT_MS, retry: false as const }
  const first = useApiQuery(credentials.choices, input(''), options)
  const isLong = first.data?.more === true
  const enabled = isLong && search !== ''
  const found = useApiQuery(credentials.choices, input(search), { ...options, enabled, keepPrevious: true })
  return {
    choices: enabled ? found : first,
    isSearching: isLong && (typed !== search || (enabled && found.isFetching)),
  }
}
