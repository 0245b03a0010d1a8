import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { pipeline, type Duplex } from 'node:stream'

/** Where requests of a session go, and how its app knows that they come from us. */
export type Upstream = { agent: Agent; token: string }
export type Passing = {
  upstream: Upstream
  /** What is left of the Cookie header without the console's own. */
  cookies: string
  /** Whose frames may show it, besides itself. */
  frameAncestor: string
  /** It was not passed on, and nothing has been answered yet. */
  onError(error: Error): void
}

/** Of one connection only (RFC 9110, 7.6.1), and what we answer or decide ourselves. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const ownRequestHeaders = new Set([
  'cookie',
  'expect',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-for',
])

/** Names in the Connection header are of this connection too, but for the one that says where the body ends. */
const dropped = (connection: string | undefined): Set<string> =>
  connection === undefined || /^(keep-alive|close|upgrade)$/i.test(connection)
    ? hopByHop
    : new Set([
        ...hopByHop,
        ...connection
          .toLowerCase()
          .split(/\s*,\s*/)
          .filter((name) => name !== 'content-length'),
      ])

/** Whether a request is safe to repeat. */
export const isSafe = (method = '') => ['GET', 'HEAD', 'OPTIONS'].includes(method)

/** As a flat list of names and values, which Node writes without building an object. */
function requestHeaders({ method, headers }: IncomingMessage, passing: Passing): string[] {
  const { cookies, upstream, frameAncestor } = passing
  const drop = dropped(headers.connection)
  const kept: string[] = []
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || drop.has(name) || ownRequestHeaders.has(name)) continue
    if (typeof value === 'string') kept.push(name, value)
    else for (const one of value) kept.push(name, one)
  }
  if (cookies) kept.push('cookie', cookies)
  // With the app's own token, unless its page sends something that it had from the app.
  if (headers.authorization === undefined) kept.push('authorization', `Bearer ${upstream.token}`)
  kept.push('x-forwarded-proto', frameAncestor.startsWith('https:') ? 'https' : 'http')
  kept.push('x-forwarded-host', headers.host ?? '')
  if (headers['transfer-encoding'] !== undefined) kept.push('transfer-encoding', 'chunked')
  // Otherwise, Node would send an empty POST as chunked.
  else if (headers['content-length'] === undefined && !isSafe(method)) kept.push('content-length', '0')
  return kept
}

/** The app's own headers, except that only the console may show it in a frame. */
function responseHeaders({ rawHeaders, headers }: IncomingMessage, frameAncestor: string): string[] {
  const drop = dropped(headers.connection)
  const kept: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const value = rawHeaders[at + 1] ?? ''
    const lower = name.toLowerCase()
    if (drop.has(lower) || lower === 'x-frame-options' || lower === 'content-length') continue
    kept.push(name, lower === 'content-security-policy' ? withoutFrameAncestors(value) : value)
  }
  kept.push('Content-Security-Policy', `frame-ancestors 'self' ${frameAncestor}`)
  // Last, because Node re-encodes Content-Disposition once it knows the length, and then rejects some file names.
  const length = headers['content-length']
  if (length !== undefined) kept.push('Content-Length', length)
  return kept
}

const withoutFrameAncestors = (policy: string): string =>
  policy
    .split(',')
    .map((one) =>
      one
        .split(';')
        .filter((directive) => !/^\s*frame-ancestors(\s|$)/i.test(directive))
        .join(';'),
    )
    .join(',')

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const isClosed = (error: Error): boolean =>
  'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

/** Passes a request on and its answer back, as fast as the slower side takes them. */
export function passRequest(
  request: IncomingMessage,
  response: ServerResponse,
  passing: Passing,
  again = true,
): void {
  const { upstream, frameAncestor } = passing
  const withBody = hasBody(request)
  const { method, url: path } = request
  const isRepeatable = again && !withBody && isSafe(method)
  const sent = httpRequest({ agent: upstream.agent, method, path, headers: requestHeaders(request, passing) })
  // No effect after the answer. Not `once`, which costs more than leaving the listener in place.
  response.on('close', () => sent.destroy())
  sent.on('error', (error) => {
    if (response.headersSent || response.destroyed) return void response.destroy()
    // The app closed a kept connection in the very moment in which it was used again.
    if (isRepeatable && sent.reusedSocket && isClosed(error))
      return passRequest(request, response, passing, false)
    passing.onError(error)
  })
  sent.on('upgrade', (_answer, far) => {
    far.destroy()
    passing.onError(new Error('The app switched protocols without being asked'))
  })
  sent.on('response', (answer) => {
    closeAfterEarlyAnswer(sent)
    const { statusCode = 502, statusMessage } = answer
    try {
      if (statusCode < 200) throw new Error(`The app answered with status ${statusCode}`)
      response.writeHead(statusCode, statusMessage, responseHeaders(answer, frameAncestor))
    } catch (error) {
      // Node accepts some answers that it refuses to send: a control character in the reason, or a status below 100.
      response.statusMessage = ''
      sent.destroy()
      return passing.onError(error as Error)
    }
    answer.on('error', () => response.destroy())
    // Handles backpressure like `pipe`, which would cost more than a short answer itself.
    answer.on('data', (piece) => {
      if (response.write(piece)) return
      answer.pause()
      response.once('drain', () => answer.resume())
    })
    answer.on('end', () => response.end())
    // What comes piece by piece may come much later than its head.
    if (answer.headers['content-length'] === undefined) response.flushHeaders()
  })
  if (withBody) pipeline(request, sent, () => {})
  else sent.end()
}

/** If an app answers before it has the whole request, Node may free the connection twice, and two requests would share it. */
function closeAfterEarlyAnswer(sent: ClientRequest): void {
  if (!sent.writableFinished) sent.shouldKeepAlive = false
}

/** Passes a WebSocket on, or the answer of an app that does not want it. */
export function passUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, passing: Passing): void {
  // Node does not read the body of an upgrade, so the app would take the next request on this connection for it.
  if (hasBody(request)) return void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  const { method, url: path, headers } = request
  const sent = httpRequest({
    agent: passing.upstream.agent,
    method,
    path,
    headers: [...requestHeaders(request, passing), 'connection', 'Upgrade', 'upgrade', headers.upgrade ?? ''],
  })
  const abandon = () => sent.destroy()
  socket.once('close', abandon).on('error', abandon)
  sent.on('error', (error) => {
    socket.off('close', abandon)
    passing.onError(error)
  })
  sent.on('response', (answer) => {
    closeAfterEarlyAnswer(sent)
    socket.write(headOf(answer, 'Connection: close'))
    pipeline(answer, socket, () => socket.destroy())
  })
  sent.on('upgrade', (answer, far, farHead) => {
    socket.off('close', abandon)
    socket.write(headOf(answer, `Connection: Upgrade\r\nUpgrade: ${answer.headers.upgrade ?? ''}`))
    if (farHead.length > 0) socket.write(farHead)
    if (head.length > 0) far.write(head)
    // Each side waits for the other where it is slower; the end of one is the end of both.
    pipeline(socket, far, socket, () => {
      socket.destroy()
      far.destroy()
    })
  })
  sent.end()
}

function headOf(answer: IncomingMessage, more: string): string {
  const drop = dropped(answer.headers.connection)
  const { rawHeaders } = answer
  const lines = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && !drop.has(name.toLowerCase()) ? [`${name}: ${rawHeaders[at + 1] ?? ''}`] : [],
  )
  return [`HTTP/1.1 ${answer.statusCode ?? 502} ${answer.statusMessage ?? ''}`, ...lines, more, '', ''].join(
    '\r\n',
  )
}
