import { toApiError } from '@flotilla/client/api-error'

const TRIES = 8
const SECOND_MS = 1000

/** Retries when rate limited, because a class that logs in from one address may briefly exceed the site's limit. */
export async function retryWhenRateLimited<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      const { code, retryAfter = 1 } = toApiError(error)
      if (code !== 'too_many_requests' || tries === TRIES) throw error
      // The jitter keeps all participants from retrying at once.
      const waitMs = (Math.min(retryAfter, 5) + Math.random()) * SECOND_MS
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
}
