import { jobs } from '@flotilla/contract/jobs/jobs'
import { useEffect, useMemo } from 'react'
import { call } from '../../../../api/call'
import { createStore, useStore } from '../../../../store'
import type { OutputFile } from '../feed/use-feed'
import { openSearch, type SearchRun, type SearchState } from './search-run'

/** The search term: a text, or anything that looks like an error. */
export type SearchRequest = { text: string } | { errors: 'true' }

const nothing = createStore<SearchState | null>(null)

/** Searches an output; null if there is no search term. A new search term cancels the previous search. */
export function useOutputSearch(
  { job, submission, file }: OutputFile,
  wanted: SearchRequest | null,
  size: number,
): { run: SearchRun | null; state: SearchState | null } {
  const key = wanted && JSON.stringify(wanted)
  const run = useMemo(() => {
    if (key === null) return null
    const query = JSON.parse(key) as SearchRequest // The key was created from a search term above.
    return openSearch((from, line, signal) =>
      call(jobs.searchOutput, { job, submission, file, query: { ...query, from, line } }, { signal }),
    )
  }, [job, submission, file, key])
  useEffect(() => {
    run?.start()
    return () => run?.stop()
  }, [run])
  useEffect(() => run?.grown(size), [run, size])
  const state = useStore<SearchState | null>(run?.state ?? nothing)
  return { run, state }
}
