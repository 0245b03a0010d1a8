import { setTimeout as pause } from 'node:timers/promises'

type Options<T> = { everyMs: number; timeoutMs: number; now: () => number; atFirst: T }

/**
 * Caches the answer of `query` for `everyMs`. Callers wait at most `timeoutMs` for a new answer and get the previous one
 * after that.
 */
export function recent<T>(
  query: () => Promise<T>,
  { everyMs, timeoutMs, now, atFirst }: Options<T>,
): () => Promise<T> {
  let last = atFirst
  let current: { at: number; answer: Promise<T>; waited: Promise<void> } | undefined
  return () => {
    if (!current || now() - current.at > everyMs) {
      const answer = query()
      // The timer starts with the query, so later callers do not wait again.
      current = { at: now(), answer, waited: pause(timeoutMs, undefined, { ref: false }) }
      answer.then(
        (value) => (last = value),
        () => {
          // The callers handle the error; the next call queries again.
          if (current?.answer === answer) current = undefined
        },
      )
    }
    return Promise.race([current.answer, current.waited.then(() => last)])
  }
}
