import { ApiError } from '@flotilla/client/api-error'
import { requestOf, type CallOptions } from '@flotilla/client/request'
import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import type { ErrorReply } from '@flotilla/contract/errors'

/** The result of a call that may be refused: the reply or the error. */
type Outcome<E extends Endpoint> = Reply<E> & Partial<ErrorReply>

type Must = <E extends Endpoint>(endpoint: E, input: Sent<E>, options?: CallOptions) => Promise<Reply<E>>

/** Makes a call that must be refused, and returns the error. */
export type Refused = <E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  options?: CallOptions,
) => Promise<ApiError>

/** Makes a call and returns the raw reply, success or error. */
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
    // Border: the server validates its replies against the contract.
    return { ...answer, json: answer.json as Outcome<E> }
  }

export const refusedBy =
  (must: Must): Refused =>
  async (endpoint, input, options) => {
    const error: unknown = await must(endpoint, input, options).catch((thrown: unknown) => thrown)
    if (error instanceof ApiError && !error.network) return error
    throw new Error(`${endpoint.method} ${endpoint.path} was not refused`, { cause: error })
  }
