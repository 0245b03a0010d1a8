import { toApiError } from '@flotilla/client/api-error'

const TRIES = 8
const SECOND_MS = 1000

/** A class behind one address may exceed the site's rate limit for a moment when it enters: it waits and tries again. */
export async function retryWhenRateLimited<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      const { code, retryAfter = 1 } = toApiError(error)
      if (code !== 'too_many_requests' || tries === TRIES) throw error
      // With jitter, or all of them would come back at once.
      const waitMs = (Math.min(retryAfter, 5) + Math.random()) * SECOND_MS
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
}
