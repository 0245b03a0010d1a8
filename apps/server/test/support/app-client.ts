import { request, type IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { api } from '@flotilla/contract/api'
import type { AppSession } from '@flotilla/contract/apps/sessions'
import type { Console, Person } from './console'
import { until } from './until'

export type Visit = { status: number; headers: IncomingHttpHeaders; text: string }
type Sent = { method?: string; headers?: Record<string, string>; body?: string }

/** A program that does what the tests of apps need of one: `/echo` tells what it got, `/slow` ends only when told to. */
export const probeScript = `exec ${process.execPath} -e '
const http = require("node:http")
const server = http.createServer((request, response) => {
  if (request.url === "/ready") return response.writeHead(process.env.TOKEN && request.headers.authorization === "Bearer " + process.env.TOKEN ? 204 : 500).end()
  if (request.url === "/slow") { response.write("first\\n"); server.once("go", () => response.end("last\\n")); return }
  if (request.url === "/go") { server.emit("go"); return response.end("went") }
  if (request.url === "/framed") response.setHeader("content-security-policy", "default-src *; frame-ancestors *").setHeader("x-frame-options", "ALLOWALL")
  response.setHeader("set-cookie", ["a=1", "b=2"])
  let size = 0
  request.on("data", (data) => (size += data.length)).on("end", () => {
    const { url, method, headers } = request
    const { APP_COLOR, BASE_URL } = process.env
    response.end(JSON.stringify({ url, method, headers, size, color: APP_COLOR, base: BASE_URL }))
  })
})
server.on("upgrade", (request, socket) => {
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n")
  socket.on("error", () => {}).pipe(socket)
})
console.log("listening")
server.listen(process.env.PORT, process.env.HOST)
'
`

export const probeApp = {
  name: 'Probe',
  icon: 'flask' as const,
  fields: [
    { name: 'color', label: 'Color', kind: 'choice' as const, options: ['red', "it's blue"], default: 'red' },
  ],
  script: probeScript,
  resources: { cores: 1, walltime: '00:10:00' },
  ready: { path: '/ready', status: 204 },
}

/** A browser without the parts that a test does not look at: it keeps the cookie of one app. */
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

  /** A WebSocket's connection, with what the app answers on it; null when it was refused. */
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

/** The address that opens the session once. */
export const ticketFor = async (server: Console, token: string, id: string): Promise<URL> =>
  new URL((await server.must(api.appSessions.open, { id }, { token })).url)

/** Someone who has opened the session. */
export async function entered(server: Console, token: string, id: string): Promise<AppClient> {
  const url = await ticketFor(server, token, id)
  const client = new AppClient(server.url, url.host)
  const { headers } = await client.visit(url.pathname + url.search)
  client.cookie = headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
  return client
}
