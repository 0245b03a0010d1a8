import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import { isFileReply } from '@flotilla/contract/endpoint'
import { NEXT_CURSOR } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { ApiError } from './api-error'
import { errorOf } from './error-reply'
import { requestOf } from './request'
import type { CallOptions } from './request'

/** Makes a call and returns the successful response; everything else throws an `ApiError`. */
export type Send = <E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  options?: CallOptions,
) => Promise<Response>

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export const createSend =
  (fetch: Fetch): Send =>
  async (endpoint, input, options = {}) => {
    const { url, init } = requestOf(endpoint, input, options)
    const response = await fetch(url, init).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'AbortError') throw error
      throw new ApiError({ status: 0, code: 'network', message: messages.networkError })
    })
    if (response.ok) return response
    throw await errorOf(response, endpoint.wrapper)
  }

/** Typed calls over `send`. With `validate`, a reply or status that violates the contract is an error. */
export function createCalls(send: Send, { validate }: { validate: boolean }) {
  const read = async <E extends Endpoint>(endpoint: E, response: Response): Promise<Reply<E>> => {
    const reply: unknown = await response.json().catch(() => {
      throw new ApiError({ status: response.status, code: 'unknown', message: messages.unknownError })
    })
    if (validate && !isFileReply(endpoint.reply)) {
      const { error } = endpoint.reply.safeParse(reply)
      if (error || response.status !== (endpoint.status ?? 200))
        throw new Error(`The reply to ${endpoint.method} ${endpoint.path} violates the contract`, {
          cause: error ?? `status ${response.status}`,
        })
    }
    // Border: the server's tests validate its replies against this same schema.
    return reply as Reply<E>
  }
  return {
    call: async <E extends Endpoint>(endpoint: E, input: Sent<E>, options?: CallOptions): Promise<Reply<E>> =>
      read(endpoint, await send(endpoint, input, options)),
    /** One page of a list, and the cursor of the next one; null on the last page. */
    callPage: async <E extends Endpoint>(
      endpoint: E,
      input: Sent<E>,
      options?: CallOptions,
    ): Promise<{ rows: Reply<E>; next: string | null }> => {
      const response = await send(endpoint, input, options)
      return { rows: await read(endpoint, response), next: response.headers.get(NEXT_CURSOR) }
    },
  }
}

/** A client for the server at `url`, for programs; the web wraps `createSend` with its session instead. */
export const connect = (url: string) =>
  createCalls(
    createSend((path, init) => fetch(url + path, init)),
    { validate: true },
  )
