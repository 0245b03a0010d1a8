import { limit } from '../../../engines/process/limit'
import { fail } from '../../../fail'

/** A class that enters at the same moment must not hold every connection to the database: everyone else works meanwhile. */
const AT_ONCE = 6
const WAITING_MAX = 2000
const RETRY_AFTER_S = 5

/** Calls of people who enter workshops wait for each other, in memory and bounded. */
export function makeLoginQueue() {
  const turn = limit(AT_ONCE)
  let waiting = 0
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= WAITING_MAX)
      return fail('too_many_requests', {
        message: 'Too many people are logging in right now. Try again in a few seconds.',
        retryAfter: RETRY_AFTER_S,
      })
    waiting++
    try {
      return await turn(work)
    } finally {
      waiting--
    }
  }
  /** The same function, in turn. */
  return <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      inTurn(() => work(...args))
}
