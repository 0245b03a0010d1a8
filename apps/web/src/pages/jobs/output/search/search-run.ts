import {
  SEARCH_MATCHES_MAX,
  type OutputMatch,
  type OutputSearch,
} from '@flotilla/contract/jobs/output-search'
import { toApiError } from '@flotilla/client/api-error'
import { NO_RESPONSE } from '../../../../ui/feedback/no-response'
import { createStore } from '../../../../store'

/** One request to the server, which searches from an offset. `line` is the number of the line at the offset. */
export type SearchStep = (from: number, line: number, signal: AbortSignal) => Promise<OutputSearch>

export type SearchState = {
  /** `more`: stopped after a page of matches until the user resumes the search. */
  status: 'searching' | 'more' | 'done' | 'failed'
  problem: string | null
  matches: readonly OutputMatch[]
  searched: number
  size: number
}
const initial: SearchState = { status: 'searching', problem: null, matches: [], searched: 0, size: 0 }

/** The delay before a retry while the server runs too many other searches. */
const BUSY_MS = 500
/** The minimum interval at which the new part of a growing file is searched. */
const GROWN_MS = 1000

export type SearchRun = ReturnType<typeof openSearch>

/** Searches a whole file, step by step until its end, a full page of matches or `stop`. */
export function openSearch(step: SearchStep) {
  const store = createStore(initial)
  let stop = new AbortController()
  let [next, line] = [0, 1]
  let waiting: ReturnType<typeof setTimeout> | undefined
  const set = (changes: Partial<SearchState>) => store.set({ ...store.get(), ...changes })

  const take = (reply: OutputSearch): void => {
    next = reply.next
    line = reply.nextLine
    const matches = reply.restarted ? [] : [...store.get().matches, ...reply.matches]
    set({ matches, searched: reply.done ? reply.size : reply.next, size: reply.size })
  }
  const run = async (): Promise<void> => {
    const { signal } = stop
    const page = store.get().matches.length + SEARCH_MATCHES_MAX
    set({ status: 'searching', problem: null })
    while (!signal.aborted) {
      try {
        const reply = await step(next, line, signal)
        if (signal.aborted) return
        take(reply)
        if (reply.done) return set({ status: 'done' })
        if (store.get().matches.length >= page) return set({ status: 'more' })
      } catch (thrown) {
        if (signal.aborted) return
        const error = toApiError(thrown)
        if (error.status !== 429)
          return set({ status: 'failed', problem: error.network ? NO_RESPONSE : error.message })
        await new Promise((resolve) => setTimeout(resolve, BUSY_MS))
      }
    }
  }
  return {
    state: store,
    start: () => {
      stop = new AbortController()
      void run()
    },
    /** Continues after a full page or a failure. */
    resume: () => void run(),
    /** Called when the file has grown to this size. */
    grown: (size: number) => {
      const { status, size: known } = store.get()
      if (status !== 'done' || size === known || waiting !== undefined) return
      waiting = setTimeout(() => {
        waiting = undefined
        void run()
      }, GROWN_MS)
    },
    stop: () => {
      stop.abort()
      clearTimeout(waiting)
      waiting = undefined
    },
  }
}
