import {
  ERROR_WORDS,
  SEARCH_MATCHES_MAX,
  SEARCHES_MAX,
  type OutputSearch,
  type OutputSearchQuery,
} from '@flotilla/contract/jobs/output-search'
import type * as z from 'zod/mini'
import { fail } from '../../fail'
import type { Caller } from '../../http/caller'
import type { Outputs } from './outputs'

type Query = z.output<typeof OutputSearchQuery>
type OutputFile = { job: string; submission: string; file: string }

/** How often a browser gets a result, after which it may request something else. */
const REPLY_MS = 500

/** Searches an output in short steps, without any state between them. */
export function makeOutputSearch(outputs: Pick<Outputs, 'search'>) {
  const running = new Map<string, number>()

  const step = async (me: Caller, at: OutputFile, query: Query): Promise<OutputSearch> => {
    const { text, errors, from, line } = query
    const sought =
      errors === 'true'
        ? { texts: ERROR_WORDS, words: true }
        : {
            texts: [text ?? fail('bad_input', { fields: { text: 'Enter text to search for' } })],
            words: false,
          }
    const until = performance.now() + REPLY_MS
    const found = await outputs.search(me, at.job, at.submission, at.file, {
      ...sought,
      offset: from,
      limit: SEARCH_MATCHES_MAX,
      stop: () => performance.now() > until,
    })
    const { size } = found
    if (size < from) return { matches: [], next: 0, nextLine: 1, size, done: false, restarted: true }
    return {
      matches: found.matches.map((match) => ({ ...match, line: line + match.line })),
      next: found.next,
      nextLine: line + found.lines,
      size,
      done: found.atEnd,
      restarted: false,
    }
  }

  return async (me: Caller, at: OutputFile, query: Query): Promise<OutputSearch> => {
    const others = running.get(me.id) ?? 0
    if (others >= SEARCHES_MAX) fail('too_many_requests')
    running.set(me.id, others + 1)
    try {
      return await step(me, at, query)
    } finally {
      const left = (running.get(me.id) ?? 1) - 1
      if (left > 0) running.set(me.id, left)
      else running.delete(me.id)
    }
  }
}
