import { api } from '@flotilla/contract/api'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { io, type Socket } from 'socket.io-client'
import type { Sent } from '@flotilla/contract/endpoint'
import { connect } from '@flotilla/client/client'
import { parseEnvironment } from '../../../src/config'
import { freePort } from '../../../src/db/embedded/postmaster'
import { startServer, type RunningServer } from '../../../src/server'
import { newPerson, PASSWORD, type TestApp } from './app'
import { answerBy, refusedBy, type Answers, type Refused } from './outcomes'
import { testLog } from '../log'

type RequestOptions = { as?: string; body?: unknown; headers?: Record<string, string> }
type Answer<T = unknown> = { status: number; json: T }
type NewRole = Sent<typeof api.users.create>['body']['role']
type Place = { databaseUrl: string; dataDir?: string; webFolder?: string }

export type TestServer = {
  running: RunningServer
  url: string
  dataDir: string
  log: () => string
  /** Sends a raw request, valid or not, for tests of the wire format. */
  call(method: string, path: string, options?: RequestOptions): Promise<Answer>
  must: TestApp['must']
  refused: Refused
  /** Makes a call and returns the reply, success or error, with its status. */
  answer: Answers<Answer>
  login(username: string, password?: string): Promise<string>
  /** Creates an account with this name and role as the first admin, and logs in with it. */
  person(username: string, role: NewRole): Promise<{ id: string; token: string; username: string }>
  stop(): Promise<void>
}

/** The whole server on a free port, as `npm start` runs it; the first admin's password is PASSWORD. */
export async function testServer(env: Record<string, string>, place: Place): Promise<TestServer> {
  const dataDir = place.dataDir ?? (await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-server-')))
  const { log, lines } = testLog()
  const config = parseEnvironment({
    DATA_DIR: dataDir,
    DATABASE_URL: place.databaseUrl,
    PORT: String(await freePort()),
    ADMIN_PASSWORD: PASSWORD,
    RATE_LIMIT: '1000000',
    ...env,
  })
  const running = await startServer(config, place.webFolder ?? null, log)

  const send = async (url: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(running.url + url, init)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, json: isJson ? JSON.parse(text) : text }
  }
  const call: TestServer['call'] = (method, url, { as, body, headers } = {}) =>
    send(url, {
      method,
      headers: {
        ...(as ? { authorization: `Bearer ${as}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const { call: must } = connect(running.url)
  const login: TestServer['login'] = async (username, password = PASSWORD) =>
    (await must(api.auth.login, { body: { username, password } })).token
  let admin: string | undefined
  return {
    running,
    url: running.url,
    dataDir,
    log: lines,
    call,
    must,
    refused: refusedBy(must),
    answer: answerBy(send),
    login,
    person: async (username, role) => {
      admin ??= await login('admin')
      const body = newPerson(username, role)
      const { id } = await must(api.users.create, { body }, { token: admin })
      return { id, username, token: await login(username) }
    },
    stop: async () => {
      await running.stop()
      if (!place.dataDir) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

type ReceivedEvent = { event: string; data: { seq: number; changed?: string; username?: string } }
export type SocketListener = {
  socket: Socket
  /** Every event received, in order. */
  received: ReceivedEvent[]
  /** The reason why the connection was refused, or null. */
  refused: string | null
  /** The whole error of a refused connection. */
  refusal?: Error
}

/** Opens a socket as a browser does; resolves once it is connected or refused. */
export function listenAs(
  url: string,
  token: string | undefined,
  transport: 'websocket' | 'polling' = 'websocket',
): Promise<SocketListener> {
  const socket = io(url, {
    query: token === undefined ? {} : { token },
    transports: [transport],
    forceNew: true,
    reconnection: false,
  })
  const events: ReceivedEvent[] = []
  socket.onAny((event: string, data: ReceivedEvent['data']) => events.push({ event, data }))
  return new Promise((resolve) => {
    socket.once('connect', () => resolve({ socket, received: events, refused: null }))
    socket.once('connect_error', (error) =>
      resolve({ socket, received: events, refused: error.message, refusal: error }),
    )
  })
}
