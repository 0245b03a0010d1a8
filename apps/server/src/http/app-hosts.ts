import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Handles requests for the host names of apps instead of the console. */
export type AppHosts = {
  /** `label` is the part of the host name before the domain. */
  request(label: string, request: IncomingMessage, response: ServerResponse): void
  upgrade(label: string, request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/** Normalizes a host as DNS compares names: case and a trailing dot make no difference, and the port is left out. */
const normalized = (host: string): string =>
  host.trim().toLowerCase().replace(/:\d*$/, '').replace(/\.+$/, '')

/** The host of an absolute URL. */
const authorityOf = (url: string): string | undefined =>
  url.startsWith('/') ? undefined : /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]

/**
 * The part of the host name before the domain; null if the request is for the console, undefined if its Host headers
 * and its URL name different hosts. It runs for every request of an app, so it allocates no lists.
 */
function appLabel({ rawHeaders, url = '' }: IncomingMessage, suffix: string): string | null | undefined {
  let host: string | undefined
  let isApp = false
  let isOne = true
  const add = (named: string) => {
    const name = normalized(named)
    if (host !== undefined && name !== host) isOne = false
    if (name.endsWith(suffix)) isApp = true
    host = name
  }
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && /^host$/i.test(rawHeaders[at] ?? '')) add(rawHeaders[at + 1] ?? '')
  const authority = authorityOf(url)
  if (authority !== undefined) add(authority)
  if (!isApp) return null
  return isOne ? host?.slice(0, -suffix.length) : undefined
}

/**
 * Separates the apps from the console: a request for a host name below the domain reaches only the apps, whatever its
 * path is, and no other listener of this server.
 */
export function serveAppHosts(server: Server, domain: string, apps: AppHosts): void {
  const suffix = `.${domain}`
  const emit = server.emit.bind(server)
  // Replacing `emit` comes before every listener, even those that are prepended later.
  server.emit = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'request' && event !== 'upgrade') return emit(event, ...args)
    // The types of these two events, which the generic signature does not have.
    const [request, to, head] = args as [IncomingMessage, ServerResponse | Duplex, Buffer]
    const label = appLabel(request, suffix)
    if (label === null) return emit(event, ...args)
    if (label === undefined) refuse(to)
    else if ('writeHead' in to) apps.request(label, request, to)
    else apps.upgrade(label, request, to, head)
    return true
  }
}

function refuse(to: ServerResponse | Duplex): void {
  if ('writeHead' in to) to.writeHead(400, { connection: 'close' }).end()
  else to.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
}
