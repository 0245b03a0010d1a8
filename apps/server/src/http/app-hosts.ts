import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** What answers in the console's place on the host names of apps. */
export type AppHosts = {
  /** `label` is what stands before the domain. */
  request(label: string, request: IncomingMessage, response: ServerResponse): void
  upgrade(label: string, request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/** As DNS compares names: neither case nor a dot at the end makes a difference; the port is no part of it. */
const normalized = (host: string): string =>
  host.trim().toLowerCase().replace(/:\d*$/, '').replace(/\.+$/, '')

/** Every host that a request names: in its Host headers, and in an address that is no path. */
function hostsOf({ rawHeaders, url = '' }: IncomingMessage): Set<string> {
  const named = rawHeaders.filter(
    (_, index) => index % 2 === 1 && /^host$/i.test(rawHeaders[index - 1] ?? ''),
  )
  const authority = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]
  return new Set([...named, ...(authority === undefined ? [] : [authority])].map(normalized))
}

/** What stands before the domain; null when the request is for the console, undefined when it names two hosts. */
function appLabel(request: IncomingMessage, domain: string): string | null | undefined {
  const hosts = hostsOf(request)
  const [app] = [...hosts].filter((host) => host.endsWith(`.${domain}`))
  if (app === undefined) return null
  return hosts.size === 1 ? app.slice(0, -domain.length - 1) : undefined
}

/**
 * Keeps the console and the apps apart: a request for a host name below the domain reaches the apps and nothing else
 * that listens on this server, whatever its path is.
 */
export function serveAppHosts(server: Server, domain: string, apps: AppHosts): void {
  const emit = server.emit.bind(server)
  // Before every listener, also those that others add later and put in front of all others.
  server.emit = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'request' && event !== 'upgrade') return emit(event, ...args)
    // The types of these two events, which the generic signature does not have.
    const [request, to, head] = args as [IncomingMessage, ServerResponse | Duplex, Buffer]
    const label = appLabel(request, domain)
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
