import type { Endpoint, Sent } from '@flotilla/contract/endpoint'

export type CallOptions = {
  token?: string | null | undefined
  /** Whether to act as admin on other users' resources. */
  admin?: boolean | undefined
  /** Whether this is an automatic refresh, which does not count as activity. */
  repeat?: boolean | undefined
  signal?: AbortSignal | undefined
  /** Whether the page may be closed before the reply arrives. */
  keepalive?: boolean | undefined
}

/** The HTTP request of a call. */
export function requestOf<E extends Endpoint>(endpoint: E, input: Sent<E>, options: CallOptions) {
  // Border: `Sent<E>` has exactly these parts, which the compiler cannot see through the generic.
  const { query, body, beside, bytes, ...params } = input as {
    query?: Record<string, string | number | boolean | null | undefined>
    body?: unknown
    beside?: object
    bytes?: Uint8Array<ArrayBuffer>
    [param: string]: unknown
  }
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null) search.set(name, String(value))

  const sent = endpoint.wrapper ? { [endpoint.wrapper]: body, ...beside } : body
  const headers: Record<string, string> = {}
  if (options.token) headers.authorization = `Bearer ${options.token}`
  if (endpoint.raw) headers['content-type'] = 'application/octet-stream'
  // fetch sets the content type of a form with its boundary.
  else if (sent !== undefined && !endpoint.files) headers['content-type'] = 'application/json'
  if (options.admin) headers.admin = 'true'
  if (options.repeat) headers.repeatCall = 'true'

  return {
    url: search.size > 0 ? `${path}?${search}` : path,
    init: {
      method: endpoint.method,
      headers,
      body: bytes ?? (sent === undefined ? null : endpoint.files ? formOf(sent) : JSON.stringify(sent)),
      signal: options.signal ?? null,
      keepalive: options.keepalive ?? false,
    } satisfies RequestInit,
  }
}

const isFile = (value: unknown): value is { name: string; bytes: Uint8Array<ArrayBuffer> } =>
  typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array

/** Files are sent as they are, everything else as JSON. */
function formOf(body: unknown): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(Object(body)))
    for (const part of Array.isArray(value) ? value : [value]) {
      if (isFile(part)) form.append(name, new Blob([part.bytes]), part.name)
      else if (part !== undefined) form.append(name, JSON.stringify(part))
    }
  return form
}
