import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { pipeline, type Duplex } from 'node:stream'

/** Where requests of a session are sent, and the token by which its app recognizes the console. */
export type Upstream = { agent: Agent; token: string }
export type Passing = {
  upstream: Upstream
  /** The Cookie header without the console's own cookies. */
  cookies: string
  /** The site that may show the app in a frame, besides the app itself. */
  frameAncestor: string
  /** Called if the request was not forwarded and no response has been sent. */
  onError(error: Error): void
}

/** Headers of a single connection (RFC 9110, 7.6.1), and headers that the console sets or handles itself. */
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

/** Headers named in the Connection header belong to this connection too, except for the length of the body. */
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

/** A flat list of names and values, which Node writes without building an object. */
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
  // Adds the app's token, unless its page sends an authorization that it got from the app.
  if (headers.authorization === undefined) kept.push('authorization', `Bearer ${upstream.token}`)
  kept.push('x-forwarded-proto', frameAncestor.startsWith('https:') ? 'https' : 'http')
  kept.push('x-forwarded-host', headers.host ?? '')
  if (headers['transfer-encoding'] !== undefined) kept.push('transfer-encoding', 'chunked')
  // Without it, Node would send an empty POST as chunked.
  else if (headers['content-length'] === undefined && !isSafe(method)) kept.push('content-length', '0')
  return kept
}

/** The app's own headers, except that only the console may show the app in a frame. */
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
  // Added last, because Node re-encodes Content-Disposition once it knows the length, and then rejects some file names.
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

/** Forwards a request and its response, at the speed of the slower side. */
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
  // No effect after the response. `once` would cost more than leaving the listener in place.
  response.on('close', () => sent.destroy())
  sent.on('error', (error) => {
    if (response.headersSent || response.destroyed) return void response.destroy()
    // The app closed an idle connection at the moment when it was reused.
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
      // Node accepts some responses that it refuses to send: with a control character in the reason, or a status below
      // 100.
      response.statusMessage = ''
      sent.destroy()
      return passing.onError(error as Error)
    }
    answer.on('error', () => response.destroy())
    // Handles backpressure like `pipe`, which would cost more than a short response itself.
    answer.on('data', (piece) => {
      if (response.write(piece)) return
      answer.pause()
      response.once('drain', () => answer.resume())
    })
    answer.on('end', () => response.end())
    // Without a length, the body may arrive much later than the headers.
    if (answer.headers['content-length'] === undefined) response.flushHeaders()
  })
  if (withBody) pipeline(request, sent, () => {})
  else sent.end()
}

/**
 * If an app responds before it has received the whole request, Node may free the connection twice, and two requests
 * would share it.
 */
function closeAfterEarlyAnswer(sent: ClientRequest): void {
  if (!sent.writableFinished) sent.shouldKeepAlive = false
}

/** Forwards a WebSocket, or the response of an app that rejects it. */
export function passUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, passing: Passing): void {
  // Node does not read the body of an upgrade request, so the app would read the next request on this connection as the
  // body.
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
    // Handles backpressure in both directions; the end of one side ends both.
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
