import { ActivityFilter } from '@flotilla/contract/people/activities'
import { useSearchParam, useSetSearch } from '../../../paths'

const names = ['person', 'subject', 'subjectId', 'action', 'from', 'to'] as const
type FilterName = (typeof names)[number]

/** The filter of the records. It is part of the URL, so that results can be shared as a link. */
export function useActivityFilter() {
  const setSearch = useSetSearch()
  const given: Record<FilterName, string | undefined> = {
    person: useSearchParam('person'),
    subject: useSearchParam('subject'),
    subjectId: useSearchParam('subjectId'),
    action: useSearchParam('action'),
    from: useSearchParam('from'),
    to: useSearchParam('to'),
  }
  // Invalid values in the URL are ignored.
  const valid = names.filter((name) => ActivityFilter.shape[name].safeParse(given[name]).success)
  const filter: ActivityFilter = ActivityFilter.parse(
    Object.fromEntries(valid.map((name) => [name, given[name]])),
  )
  return {
    filter,
    isFiltered: Object.values(filter).some((value) => value !== undefined),
    set: (changes: ActivityFilter): void =>
      setSearch(
        Object.fromEntries(
          Object.entries(changes).map(([name, value]) => [
            name,
            value === undefined ? undefined : String(value),
          ]),
        ),
      ),
    clear: (): void => setSearch(Object.fromEntries(names.map((name) => [name, undefined]))),
  }
}
