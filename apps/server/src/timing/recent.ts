import { setTimeout as pause } from 'node:timers/promises'

type Options<T> = { everyMs: number; patienceMs: number; now: () => number; atFirst: T }

/**
 * Caches the answer of `ask` for `everyMs`. Callers wait at most `patienceMs` for a new answer and get the previous one
 * after that.
 */
export function recent<T>(
  ask: () => Promise<T>,
  { everyMs, patienceMs, now, atFirst }: Options<T>,
): () => Promise<T> {
  let last = atFirst
  let asked: { at: number; answer: Promise<T>; waited: Promise<void> } | undefined
  return () => {
    if (!asked || now() - asked.at > everyMs) {
      const answer = ask()
      // The timer starts with the query, so later callers do not wait again.
      asked = { at: now(), answer, waited: pause(patienceMs, undefined, { ref: false }) }
      answer.then(
        (value) => (last = value),
        () => {
          // The callers handle the error; the next call asks again.
          if (asked?.answer === answer) asked = undefined
        },
      )
    }
    return Promise.race([asked.answer, asked.waited.then(() => last)])
  }
}
