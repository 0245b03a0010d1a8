import { mayAccess } from '@flotilla/contract/access'
import { search, type Found } from '@flotilla/contract/site/search'
import { SEARCH_TEXT_MAX } from '@flotilla/contract/limits'
import { useApiQuery } from '../../api/query'
import { useUser } from '../../session/user'
import { useDebounced } from '../../ui/form/use-debounced'
import { withoutVerb } from './found-things'

const TYPING_MS = 150
/** One letter matches nearly everything. */
const LETTERS_MIN = 2

/** The server's results for the text, and for the text after a leading verb. */
export function useFound(text: string): { found: readonly Found[]; searching: boolean } {
  const isMember = mayAccess(search.find.access, useUser().role)
  const whole = useDebounced(text.trim(), TYPING_MS)
  const objects = withoutVerb(whole) ?? ''
  const isSearchable = (one: string) => isMember && one.length >= LETTERS_MIN && one.length <= SEARCH_TEXT_MAX
  const byWhole = useApiQuery(
    search.find,
    { query: { text: whole } },
    { enabled: isSearchable(whole), keepPrevious: true },
  )
  const byObject = useApiQuery(search.find, { query: { text: objects } }, { enabled: isSearchable(objects) })
  // Until the next response arrives, the last results are narrowed down rather than removed.
  const matchesText = ({ name }: Found) =>
    !byWhole.isPlaceholderData || name.toLowerCase().includes(whole.toLowerCase())
  const all = [
    ...(isSearchable(whole) ? (byWhole.data ?? []).filter(matchesText) : []),
    ...(isSearchable(objects) ? (byObject.data ?? []) : []),
  ]
  const isFirst = (one: Found, at: number) =>
    all.findIndex(
      (other) => other.kind === one.kind && other.id === one.id && other.clusterId === one.clusterId,
    ) === at
  return {
    found: all.filter(isFirst),
    searching:
      isSearchable(text.trim()) && (whole !== text.trim() || byWhole.isFetching || byObject.isFetching),
  }
}
