import { setTimeout as pause } from 'node:timers/promises'

type Options<T> = { everyMs: number; patienceMs: number; now: () => number; atFirst: T }

/**
 * The answer to what is asked at most this often. Whoever wants it waits only so long: then they get the one before,
 * and the new one goes to those who come when it is there.
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
      // Only those who come first wait at all.
      asked = { at: now(), answer, waited: pause(patienceMs, undefined, { ref: false }) }
      answer.then(
        (value) => (last = value),
        () => {
          // Whoever waits for it handles it; the next one asks again.
          if (asked?.answer === answer) asked = undefined
        },
      )
    }
    return Promise.race([asked.answer, asked.waited.then(() => last)])
  }
}
