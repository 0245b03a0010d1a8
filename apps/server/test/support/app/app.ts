import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { hash } from '@node-rs/argon2'
import { createCalls, createSend } from '@flotilla/client/client'
import type { CallOptions } from '@flotilla/client/request'
import type { Role } from '@flotilla/contract/access'
import { auth } from '@flotilla/contract/people/auth'
import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import { buildApp, type App, type AppOptions } from '../../../src/app'
import { parseEnvironment } from '../../../src/config'
import type { Database } from '../../../src/db/database'
import type { Mail } from '../../../src/mail/mail'
import { newId } from '../../../src/ids'
import { makeTokens } from '../../../src/modules/sessions/tokens'
import {
  executorProgram,
  ownFiles,
  simulatedCloudProgram,
  simulatedPackerProgram,
} from '../../../src/programs'
import { openQueue } from '../../../src/queue/queue'
import { openMasterKey } from '../../../src/secrets/secrets'
import { testDatabase } from '../database/database'
import { testFilesWorker } from '../machines/local'
import { testLog } from '../log'
import { answerBy, refusedBy, type Answers, type Refused } from './outcomes'

export const PASSWORD = 'Passw0rd!x'
/** A new user as an admin enters one. */
export const newPerson = <R>(username: string, role: R) => ({
  username,
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: `${username}@example.org`,
  password: PASSWORD,
  role,
})
/** Verifying a password is slow on purpose. A hash contains its own cost parameters; this one is fast to verify. */
const passwordHash = hash(PASSWORD, { memoryCost: 64, timeCost: 1 })

export type Answer<T = unknown> = {
  status: number
  json: T
  text: string
  headers: Record<string, unknown>
}
type RequestOptions = {
  as?: string | null
  body?: unknown
  headers?: Record<string, string>
  raw?: string | Buffer
  /** The IP address of the client. */
  from?: string
}

export type TestApp = {
  app: App
  db: Database
  dataDir: string
  /** Every mail that a module queued, whether or not its transaction committed. */
  mails: Mail[]
  log: () => string
  /** Moves the server's clock forward. */
  advance(ms: number): void
  /** Freezes the clock except for `advance`, so that a slow machine does not change what a test measures. */
  stopClock(): void
  /** Sends a raw request, valid or not, for tests of the wire format. */
  call(method: string, url: string, options?: RequestOptions): Promise<Answer>
  /** Makes a call that must succeed. */
  must<E extends Endpoint>(endpoint: E, input: Sent<E>, options?: CallOptions): Promise<Reply<E>>
  refused: Refused
  /** Makes a call and returns the reply, success or error, with its status, text and headers. */
  answer: Answers<Answer>
  /** Creates an account with an open session. */
  person(username: string, role: Role[]): Promise<{ id: string; token: string; username: string }>
  login(username: string, password?: string): Promise<string>
  close(): Promise<void>
}

/** The whole application on a real database of its own, called without a network in between. */
export async function testApp(
  env: Record<string, string> = {},
  more: Partial<Pick<AppOptions, 'ownables' | 'watchRules' | 'webFolder' | 'clouds'>> = {},
): Promise<TestApp> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-app-'))
  const db = await testDatabase()
  const { log, lines } = testLog()
  const queue = await openQueue({ url: db.url, alone: true, log })
  const mails: Mail[] = []
  let moved = 0
  let stoppedAt: number | undefined
  const now = () => (stoppedAt ?? Date.now()) + moved
  const secrets = await openMasterKey(path.join(dataDir, 'master.key'))
  const tokens = makeTokens(secrets.deriveKey('session tokens'), now)
  const app = await buildApp({
    config: parseEnvironment({ DATA_DIR: dataDir, RATE_LIMIT: '1000000', ...env }),
    db,
    secrets,
    queue,
    executor: { program: executorProgram, isolationBlockedReason: null, ownFiles, databaseAddresses: [] },
    filesWorker: testFilesWorker(),
    simulatedCloud: simulatedCloudProgram,
    simulatedPacker: simulatedPackerProgram,
    queueMail: async (_tx, mail) => void mails.push(mail),
    log,
    webFolder: null,
    receivesChanges: () => true,
    now,
    ...more,
  })

  const call: TestApp['call'] = async (method, url, { as, body, headers = {}, raw, from } = {}) => {
    const answer = await app.http.inject({
      // The type lists the methods it knows; tests also send others.
      method: method as 'GET',
      url,
      ...(from !== undefined && { remoteAddress: from }),
      headers: {
        ...(as ? { authorization: `Bearer ${as}` } : {}),
        ...(body !== undefined || raw !== undefined ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(raw !== undefined ? { payload: raw } : body !== undefined ? { payload: JSON.stringify(body) } : {}),
    })
    const json: unknown = String(answer.headers['content-type']).includes('json')
      ? JSON.parse(answer.body)
      : null
    return { status: answer.statusCode, json, text: answer.body, headers: answer.headers }
  }

  const send = async (url: string, init: RequestInit): Promise<Answer> => {
    const request = new Request(new URL(url, 'http://test'), init)
    const raw = init.body ? Buffer.from(await request.arrayBuffer()) : undefined
    return server.call(request.method, url, { raw, headers: Object.fromEntries(request.headers) })
  }
  const { call: must } = createCalls(
    createSend(async (url, init) => {
      const answer = await send(url, init)
      const wait = answer.headers['retry-after']
      return new Response(answer.text, {
        status: answer.status,
        headers: typeof wait === 'string' || typeof wait === 'number' ? { 'retry-after': `${wait}` } : {},
      })
    }),
    { validate: true },
  )
  const login: TestApp['login'] = async (username, password = PASSWORD) =>
    (await must(auth.login, { body: { username, password } })).token

  const person: TestApp['person'] = (username, role) =>
    db.transaction(async (tx) => {
      const given = { ...newPerson(username, role), verified: true }
      const id = await app.users.insert(tx, given, await passwordHash)
      // Opens a session as a login does, without the slow verification of the password.
      const sid = await app.sessions.open(tx, id, { address: '127.0.0.1', browser: 'a test' })
      return {
        id,
        username,
        token: await tokens.issue({ sub: id, sid, username, role, licenseType: 'Site' }),
      }
    })

  const server: TestApp = {
    app,
    db,
    dataDir,
    mails,
    log: lines,
    advance: (ms) => void (moved += ms),
    stopClock: () => void (stoppedAt = Date.now()),
    call,
    must,
    refused: refusedBy(must),
    answer: answerBy(send),
    person,
    login,
    close: async () => {
      await app.http.close()
      await app.stop()
      await queue.stop()
      await db.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  return server
}

/** A valid URL of an endpoint whose parameters are an id that nothing has. */
export const urlOf = (endpoint: Endpoint): string => endpoint.path.replace(/:\w+/g, newId())
