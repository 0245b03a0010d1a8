import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import { isFileReply } from '@flotilla/contract/endpoint'
import type { ErrorReply } from '@flotilla/contract/errors'
import { NEXT_CURSOR } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { noteCountedCall } from '../session/activity'
import { currentToken, endSession } from '../session/store'
import { ApiError } from './api-error'
import { confirmPassword } from './confirmation'
import { noteReached } from './reached'

export type CallOptions = {
  /** A refresh that nobody asked for: it does not count as activity. */
  repeat?: boolean
  /** Ask for admin scope. */
  admin?: boolean
  signal?: AbortSignal
  /** The page may go away before the answer. */
  keepalive?: boolean
  /** Another token than the session's. */
  token?: string
}

export async function call<E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  options: CallOptions = {},
): Promise<Reply<E>> {
  return readReply(endpoint, await send(endpoint, input, options))
}

/** One page of a list, and where the next one begins; null when this was the last. */
export async function callPage<E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  options: CallOptions = {},
): Promise<{ rows: Reply<E>; next: string | null }> {
  const response = await send(endpoint, input, options)
  return { rows: await readReply(endpoint, response), next: response.headers.get(NEXT_CURSOR) }
}

/** The JSON of a good reply; development also holds it against the contract. */
async function readReply<E extends Endpoint>(endpoint: E, response: Response): Promise<Reply<E>> {
  const reply: unknown = await response.json().catch(() => {
    throw new ApiError({ status: response.status, code: 'unknown', message: messages.unknownError })
  })
  if (import.meta.env.DEV && !isFileReply(endpoint.reply)) {
    const parsed = endpoint.reply.safeParse(reply)
    if (!parsed.success)
      throw new Error(`${endpoint.method} ${endpoint.path} does not answer as the contract says`, {
        cause: parsed.error,
      })
  }
  // Border: the server validates its replies against this very schema in its tests.
  return reply as Reply<E>
}

/** The good reply itself, for what is no JSON. */
export async function send<E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  options: CallOptions,
): Promise<Response> {
  const token = options.token ?? currentToken()
  const { url, body, bytes } = address(endpoint, input)
  const headers: Record<string, string> = {}
  if (token) headers.authorization = `Bearer ${token}`
  if (endpoint.raw) headers['content-type'] = 'application/octet-stream'
  // The browser itself says where the parts of a form begin.
  else if (body !== undefined && !endpoint.files) headers['content-type'] = 'application/json'
  if (options.admin) headers.admin = 'true'
  if (options.repeat) headers.repeatCall = 'true'

  const response = await reach(url, {
    method: endpoint.method,
    headers,
    body: bytes ?? (body === undefined ? null : endpoint.files ? formOf(body) : JSON.stringify(body)),
    signal: options.signal ?? null,
    keepalive: options.keepalive ?? false,
  })
  if (response.ok) {
    if (!options.repeat) noteCountedCall(Date.now())
    return response
  }
  const error = await failure(response)
  if (error.code === 'confirm_needed') {
    await confirmPassword()
    return send(endpoint, input, options)
  }
  // A call that needs no session cannot end one (logging in, checking a code); neither can one of an older token.
  const needsSession = endpoint.access !== 'everyone'
  if (error.status === 401 && needsSession && token === currentToken()) {
    endSession(error.code === 'session_expired' ? 'idle' : 'ended')
  }
  throw error
}

const isFile = (value: unknown): value is { name: string; bytes: Uint8Array<ArrayBuffer> } =>
  typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array

/** Files as they are, everything else as JSON text. */
function formOf(body: unknown): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(Object(body)))
    for (const part of Array.isArray(value) ? value : [value]) {
      if (isFile(part)) form.append(name, new Blob([part.bytes]), part.name)
      else if (part !== undefined) form.append(name, JSON.stringify(part))
    }
  return form
}

type Address = { url: string; body: unknown; bytes: Uint8Array<ArrayBuffer> | undefined }

function address(endpoint: Endpoint, input: unknown): Address {
  // Border: `Sent<E>` has exactly these parts, which the compiler cannot see through a generic.
  const { query, body, bytes, ...params } = input as {
    query?: Record<string, string | number | boolean | null | undefined>
    body?: unknown
    bytes?: Uint8Array<ArrayBuffer>
    [param: string]: unknown
  }
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) search.set(name, String(value))
  }
  return { url: search.size > 0 ? `${path}?${search}` : path, body, bytes }
}

/** A request, or the one way in which not reaching the server looks. */
async function reach(url: string, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init)
    noteReached(true)
    return response
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    noteReached(false)
    throw new ApiError({ status: 0, code: 'network', message: messages.networkError })
  }
}

/** A reply that says no, as an error; a proxy's own pages are none of ours and get the default text. */
export async function failure(response: Response): Promise<ApiError> {
  const { status } = response
  const reply: unknown = await response.json().catch(() => null)
  return new ApiError(
    isErrorReply(reply) ? { ...reply, status } : { status, code: 'unknown', message: messages.unknownError },
  )
}

/** By hand: login would otherwise wait for the schema library only to look at two texts. */
const isErrorReply = (reply: unknown): reply is ErrorReply =>
  typeof reply === 'object' &&
  reply !== null &&
  'code' in reply &&
  typeof reply.code === 'string' &&
  'message' in reply &&
  typeof reply.message === 'string'
