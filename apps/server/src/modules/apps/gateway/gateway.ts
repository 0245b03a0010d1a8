import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { APP_ENTER_PATH } from '@flotilla/contract/apps/sessions'
import type { Database } from '../../../db/database'
import type { AppHosts } from '../../../http/app-hosts'
import { isAccessToken } from '../../access-tokens/access-tokens'
import type { Sessions } from '../../sessions/sessions'
import type { Gate } from './gate'
import { pageOf, type PageName } from './pages'
import { isSafe, passRequest, passUpgrade, type Passing } from './proxy'
import * as store from '../store'
import type { Entry, Tickets } from '../sessions/tickets'
import type { Upstreams } from './upstreams'

type Options = {
  db: Database
  domain: string
  tickets: Tickets
  gate: Gate
  upstreams: Upstreams
  sessions: Sessions
  /** Whether the address of this request may send more requests without a valid cookie. */
  isWithinLimit(request: IncomingMessage): boolean
  log: Logger
}
type Admission = { page: PageName } | ({ entry: Entry } & Omit<Passing, 'onError'>)

const LABEL = /^[0-9a-z]{20}$/

/** Whether a page of another host name sent the request. Links to the app are allowed. */
function isForeign({ method, headers }: IncomingMessage, host: string): boolean {
  const { origin } = headers
  const [site, mode] = [headers['sec-fetch-site'], headers['sec-fetch-mode']]
  const isNavigation = mode === 'navigate' && isSafe(method)
  if ((site === 'cross-site' || site === 'same-site') && !isNavigation) return true
  return origin !== undefined && !isNavigation && URL.parse(origin)?.hostname !== host
}

/** Detects tokens of the console, which must not reach an app if a program sends them here by mistake. */
const isConsoleToken = (authorization: string | undefined): boolean => {
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
  return token !== undefined && (isAccessToken(token) || /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(token))
}

/** Serves the host names of sessions: exchanges tickets for cookies, and proxies requests with a valid cookie. */
export function makeGateway(options: Options): AppHosts {
  const { db, domain, tickets, gate, upstreams, sessions, isWithinLimit, log } = options
  /** Without a cookie the response reveals no more than whether the session exists. */
  const stranger = async (label: string, request: IncomingMessage): Promise<PageName> => {
    if (!isWithinLimit(request)) return 'too many'
    const row = await store.findAnySession(db.kysely, label)
    return row && row.ended_at === null ? 'no cookie' : 'unknown'
  }

  const admit = async (label: string, request: IncomingMessage): Promise<Admission> => {
    if (!LABEL.test(label)) return { page: 'unknown' }
    const { entry, rest } = tickets.read(request.headers.cookie, label)
    if (!entry) return { page: await stranger(label, request) }
    if (isForeign(request, `${label}.${domain}`)) return { page: 'foreign' }
    if (isConsoleToken(request.headers.authorization)) return { page: 'console token' }
    const row = await gate.allowed(entry)
    if (!row) return { page: await stranger(label, request) }
    // Pages poll without their user, so only unsafe requests count as activity.
    if (!isSafe(request.method)) void sessions.active(entry.login).catch(() => {})
    return { entry, upstream: await upstreams.get(row), cookies: rest, frameAncestor: entry.origin }
  }

  const enter = async (label: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isWithinLimit(request)) return pageOf('too many', response)
    const ticket = new URL(request.url ?? '', 'http://app').searchParams.get('ticket') ?? ''
    const cookie = LABEL.test(label) ? await tickets.exchange(ticket, label) : null
    if (cookie === null) return pageOf('used ticket', response)
    response
      .writeHead(303, {
        location: '/',
        'set-cookie': cookie,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      })
      .end()
  }

  const failed = (label: string, error: unknown): PageName => {
    log.info({ err: error, appSession: label }, 'an app did not respond')
    return 'no answer'
  }

  const serve = async (label: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A pipelined request. Browsers do not send these, and Node does not report when such a client disconnects.
    if (!response.socket) return void request.socket.destroy()
    if (request.url?.split('?', 1)[0] === APP_ENTER_PATH) return enter(label, request, response)
    const admission = await admit(label, request)
    if ('page' in admission) return pageOf(admission.page, response)
    // The browser may have disconnected already, in which case no further event follows.
    if (response.destroyed) return
    const { entry, upstream, cookies, frameAncestor } = admission
    response.on(
      'close',
      gate.hold(entry, () => response.destroy()),
    )
    const onError = (error: Error) => pageOf(failed(label, error), response)
    passRequest(request, response, { upstream, cookies, frameAncestor, onError })
  }

  const serveUpgrade = async (label: string, request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const admission = await admit(label, request)
    if ('page' in admission) return void socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
    if (socket.destroyed) return
    socket.once(
      'close',
      gate.hold(admission.entry, () => socket.destroy()),
    )
    passUpgrade(request, socket, head, {
      ...admission,
      onError(error) {
        failed(label, error)
        socket.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n')
      },
    })
  }

  return {
    request: (label, request, response) =>
      void serve(label, request, response).catch((error: unknown) => pageOf(failed(label, error), response)),
    upgrade(label, request, socket, head) {
      socket.on('error', () => socket.destroy())
      serveUpgrade(label, request, socket, head).catch((error: unknown) => {
        failed(label, error)
        socket.destroy()
      })
    },
  }
}
