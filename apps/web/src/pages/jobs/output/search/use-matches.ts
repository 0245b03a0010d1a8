import { useEffect, useState } from 'react'
import { showError } from '../../../../api/errors'
import { useDebounced } from '../../../../ui/form/use-debounced'
import type { Feed } from '../feed/feed'
import type { RowPlace } from '../feed/feed-parts'
import { matchText } from '../highlight'
import type { OutputFile } from '../feed/use-feed'
import { useOutputSearch, type SearchRequest } from './use-search'

const DEBOUNCE_MS = 250

/** The search in an output: the typed text, the matches and the current match. */
export function useMatches(of: OutputFile, feed: Feed, size: number) {
  const [typed, setTyped] = useState('')
  const [errors, setErrors] = useState(false)
  const [index, setIndex] = useState(0)
  const [shown, setShown] = useState<{ offset: number; place: RowPlace } | null>(null)
  const text = useDebounced(typed, DEBOUNCE_MS)
  const wanted: SearchRequest | null = errors
    ? { errors: 'true' }
    : typed !== '' && text !== ''
      ? { text }
      : null
  const { run, state } = useOutputSearch(of, wanted, size)
  const match = state?.matches[index]
  const offset = match?.offset

  // Loads the part of the file around the current match.
  useEffect(() => {
    if (offset === undefined) return
    let isCurrent = true
    feed.showAt(offset).then((place) => isCurrent && place && setShown({ offset, place }), showError)
    return () => {
      isCurrent = false
    }
  }, [feed, run, offset])

  const begin = (next: string, isErrors: boolean) => {
    setTyped(next)
    setErrors(isErrors)
    setIndex(0)
  }
  const count = state?.matches.length ?? 0
  return {
    typed,
    state,
    index,
    place: shown?.offset === offset ? (shown?.place ?? null) : null,
    isErrors: errors,
    /** The text to highlight in all rows. */
    highlight: wanted && 'text' in wanted ? wanted.text : match ? matchText(match) : '',
    search: (next: string) => begin(next, false),
    firstError: () => begin('', true),
    clear: () => begin('', false),
    choose: setIndex,
    /** Called when the user leaves the match. */
    leave: () => setShown(null),
    resume: () => run?.resume(),
    step: (by: 1 | -1) => {
      if (count === 0) return
      // After the last match found so far, the search continues.
      if (index + by >= count && state?.status === 'more') run?.resume()
      setIndex((index + by + count) % count)
    },
  }
}
