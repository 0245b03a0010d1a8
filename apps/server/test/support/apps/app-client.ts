import { request, type IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { api } from '@flotilla/contract/api'
import type { AppSession } from '@flotilla/contract/apps/sessions'
import type { Console, Person } from '../console/console'
import { until } from '../until'

export type Visit = { status: number; headers: IncomingHttpHeaders; text: string }
type Sent = { method?: string; headers?: Record<string, string>; body?: string }

/** A minimal browser that keeps the cookie of one app. */
export class AppClient {
  cookie = ''
  constructor(
    readonly url: string,
    readonly host: string,
  ) {}

  visit(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Visit> {
    return new Promise((resolve, reject) => {
      const cookie = this.cookie && { cookie: this.cookie }
      const sent = request(this.url, {
        method,
        path,
        headers: { host: this.host, ...cookie, ...headers },
        agent: false,
      })
      sent.once('error', reject).once('response', (answer) => {
        text(answer).then(
          (got) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: got }),
          reject,
        )
      })
      sent.end(body)
    })
  }

  /** Opens a WebSocket and returns its connection, or null when it was refused. */
  upgrade(headers: Record<string, string> = {}): Promise<Duplex | null> {
    return new Promise((resolve, reject) => {
      const all = {
        host: this.host,
        cookie: this.cookie,
        connection: 'Upgrade',
        upgrade: 'websocket',
        ...headers,
      }
      request(this.url, { path: '/socket', headers: all, agent: false })
        .once('error', reject)
        .once('response', (answer) => void answer.resume().once('end', () => resolve(null)))
        .once('upgrade', (_answer, socket) => resolve(socket.on('error', () => {})))
        .end()
    })
  }
}

export async function launched(
  server: Console,
  person: Person,
  app: string,
  cluster: string,
  more: object = {},
): Promise<AppSession> {
  const body = { app, cluster, ...more }
  const { id } = await server.must(api.appSessions.launch, { body }, { token: person.token })
  return until(async () => {
    const now = await server.must(api.appSessions.view, { id }, { token: person.token })
    if (now.state === 'ended') throw new Error(`the app ended: ${now.reason}`)
    return now.state === 'ready' ? now : null
  })
}

/** The single-use URL that opens the session. */
export const ticketFor = async (server: Console, token: string, id: string): Promise<URL> =>
  new URL((await server.must(api.appSessions.open, { id }, { token })).url)

/** A client that has opened the session. */
export async function entered(server: Console, token: string, id: string): Promise<AppClient> {
  const url = await ticketFor(server, token, id)
  const client = new AppClient(server.url, url.host)
  const { headers } = await client.visit(url.pathname + url.search)
  client.cookie = headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
  return client
}
