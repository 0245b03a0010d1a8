import type { ErrorReply } from '@flotilla/contract/errors'
import { messages } from '@flotilla/contract/messages'
import { ApiError } from './api-error'

/** Converts an unsuccessful response to an error. A proxy's own error page gets the default message. */
export async function errorOf(response: Response, wrapper?: string): Promise<ApiError> {
  const { status, headers } = response
  const reply: unknown = await response.json().catch(() => null)
  if (!isErrorReply(reply)) return new ApiError({ status, code: 'unknown', message: messages.unknownError })
  const seconds = headers.get('retry-after')
  return new ApiError({
    ...reply,
    status,
    fields: unwrapped(reply.fields, wrapper),
    retryAfter: seconds === null ? undefined : Number(seconds),
  })
}

/** Field names as the caller knows them: without the wrapper key. */
const unwrapped = (fields: Record<string, string> = {}, wrapper = ''): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [
      name.startsWith(`${wrapper}.`) ? name.slice(wrapper.length + 1) : name,
      text,
    ]),
  )

/** Checked without the schema library, which login would otherwise have to load only to check two strings. */
const isErrorReply = (reply: unknown): reply is ErrorReply =>
  typeof reply === 'object' &&
  reply !== null &&
  'code' in reply &&
  typeof reply.code === 'string' &&
  'message' in reply &&
  typeof reply.message === 'string'
