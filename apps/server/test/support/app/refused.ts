import { ApiError } from '@flotilla/client/api-error'
import type { CallOptions } from '@flotilla/client/request'
import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import type { ErrorReply } from '@flotilla/contract/errors'

/** What comes of a call that may be refused: its reply, or else the error. */
export type Outcome<E extends Endpoint> = Reply<E> & Partial<ErrorReply>

type Must = <E extends Endpoint>(endpoint: E, input: Sent<E>, options?: CallOptions) => Promise<Reply<E>>

/** A call that must be refused, and the error that says why. */
export type Refused = <E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  options?: CallOptions,
) => Promise<ApiError>

export const refusedBy =
  (must: Must): Refused =>
  async (endpoint, input, options) => {
    const error: unknown = await must(endpoint, input, options).catch((thrown: unknown) => thrown)
    if (error instanceof ApiError && !error.network) return error
    throw new Error(`${endpoint.method} ${endpoint.path} was not refused`, { cause: error })
  }
