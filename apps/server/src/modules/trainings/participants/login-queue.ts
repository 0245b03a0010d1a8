import { limit } from '../../../engines/process/limit'
import { fail } from '../../../fail'

/** Low, so that a class that logs in at the same moment leaves database connections to all other requests. */
const AT_ONCE = 6
const WAITING_MAX = 2000
const RETRY_AFTER_S = 5

/** Limits concurrent logins to workshops with a bounded queue in memory. */
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
  /** Wraps a function so that its calls wait in the queue. */
  return <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      inTurn(() => work(...args))
}
