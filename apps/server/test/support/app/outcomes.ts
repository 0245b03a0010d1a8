import { ApiError } from '@flotilla/client/api-error'
import { requestOf, type CallOptions } from '@flotilla/client/request'
import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import type { ErrorReply } from '@flotilla/contract/errors'

/** What comes of a call that may be refused: its reply, or else the error. */
type Outcome<E extends Endpoint> = Reply<E> & Partial<ErrorReply>

type Must = <E extends Endpoint>(endpoint: E, input: Sent<E>, options?: CallOptions) => Promise<Reply<E>>

/** A call that must be refused, and the error that says why. */
export type Refused = <E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  options?: CallOptions,
) => Promise<ApiError>

/** A call whatever comes of it, as the server answers it. */
export type Answers<Raw> = <E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  options?: CallOptions,
) => Promise<Raw & { json: Outcome<E> }>

export const answerBy =
  <Raw extends { json: unknown }>(send: (url: string, init: RequestInit) => Promise<Raw>): Answers<Raw> =>
  async <E extends Endpoint>(endpoint: E, input: Sent<E>, options: CallOptions = {}) => {
    const { url, init } = requestOf(endpoint, input, options)
    const answer = await send(url, init)
    // Border: the server holds its replies against the contract.
    return { ...answer, json: answer.json as Outcome<E> }
  }

export const refusedBy =
  (must: Must): Refused =>
  async (endpoint, input, options) => {
    const error: unknown = await must(endpoint, input, options).catch((thrown: unknown) => thrown)
    if (error instanceof ApiError && !error.network) return error
    throw new Error(`${endpoint.method} ${endpoint.path} was not refused`, { cause: error })
  }
