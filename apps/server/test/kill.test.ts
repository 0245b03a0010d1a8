import { api } from '@flotilla/contract/api'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect as openSocket, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { connect } from '@flotilla/client/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../src/db/embedded/postmaster'
import { newPerson, PASSWORD } from './support/app/app'
import { newDatabase } from './support/database/database'
import { runProgram, type Program } from './support/console/process'
import { listenAs } from './support/app/server'
import { soakIt } from './support/soak'
import { until } from './support/until'

/** How many times the server is killed; `npm run soak` sets a high number. */
const KILLS = Number(process.env.FLOTILLA_KILLS ?? 3)

let dataDir: string
let port: number
let url: string
const running: Program[] = []
const choosePort = async () => {
  port = await freePort()
  url = `http://127.0.0.1:${port}`
}
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-kill-'))
  await choosePort()
})
afterEach(async () => {
  for (const each of running.splice(0)) {
    each.signal('SIGTERM')
    await each.ended
  }
})
afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }))

const start = (env: Record<string, string> = {}) => {
  const started = runProgram({
    DATA_DIR: dataDir,
    PORT: String(port),
    RATE_LIMIT: '1000000',
    ...env,
  })
  running.push(started)
  return started
}
const kill = async (server: Program) => {
  server.signal('SIGKILL')
  await server.ended
}
const login = async (password: string) =>
  (await connect(url).call(api.auth.login, { body: { username: 'admin', password } })).token
const usernames = async (token: string | undefined) =>
  (await connect(url).call(api.users.list, { query: { limit: 1000 } }, { token })).map(
    ({ username }) => username,
  )
const shown = (server: Program) => /password (\S+) \(shown only/.exec(server.out())?.[1]
const databaseRuns = () => existsSync(path.join(dataDir, 'pg18', 'postmaster.pid'))
const passwordFile = () => path.join(dataDir, 'first-password')

let password = ''
describe('the first password', () => {
  it('is shown at the next start when the server dies before it could show it', async () => {
    // The password is shown once the server listens, which it cannot do while another process has its port.
    const other = createServer().listen(port, '127.0.0.1')
    const dying = start()
    expect(await dying.ended).toEqual({ code: 1, signal: null })
    expect(dying.errors()).toContain(`Port ${port} is in use`)
    expect(dying.errors()).toContain('PORT')
    expect(databaseRuns()).toBe(false)
    await new Promise((closed) => other.close(closed))
    expect(shown(dying)).toBeUndefined()
    expect(existsSync(passwordFile())).toBe(true)

    const second = start()
    await second.ready
    password = shown(second) ?? ''
    expect(await login(password)).toBeTypeOf('string')
    expect(existsSync(passwordFile())).toBe(false)
    second.signal('SIGTERM')
    expect(await second.ended).toEqual({ code: 0, signal: null })
  })

  soakIt('left over from a failed start is not shown when the operator has set one', async () => {
    const database = await newDatabase()
    const elsewhere = path.join(dataDir, 'elsewhere')
    await mkdir(elsewhere, { mode: 0o700 })
    await writeFile(path.join(elsewhere, 'first-password'), 'never-used', { mode: 0o600 })
    const env = { DATABASE_URL: database.url, DATA_DIR: elsewhere }
    for (const given of [PASSWORD, '']) {
      const server = start({ ...env, ADMIN_PASSWORD: given })
      await server.ready
      expect(server.out()).not.toContain('password')
      expect(await login(PASSWORD)).toBeTypeOf('string')
      server.signal('SIGTERM')
      await server.ended
    }
    await database.drop()
  })
})

describe('kill -9', () => {
  it(`keeps all acknowledged accounts through ${KILLS} kills; restarts are unattended, show no password`, async () => {
    const acknowledged: string[] = []
    let token: string | undefined
    for (let round = 0; round < KILLS; round++) {
      const server = start({ LOG_LEVEL: 'debug' })
      await server.ready
      // A session that was opened before the kill is still valid.
      token ??= await login(password)
      expect(server.out() + server.errors()).not.toContain(password)
      const names = new Set(await usernames(token))
      expect(acknowledged.filter((name) => !names.has(name))).toEqual([])

      const enough = acknowledged.length + 3 + round
      const create = async (worker: number) => {
        for (let i = 0; ; i++) {
          const username = `w${round}x${worker}x${i}`
          const body = newPerson(username, ['user' as const])
          const made = await connect(url)
            .call(api.users.create, { body }, { token })
            .catch(() => null)
          if (!made) return
          acknowledged.push(username)
        }
      }
      const workers = [0, 1, 2, 3].map(create)
      await until(() => acknowledged.length >= enough)
      await kill(server)
      await Promise.all(workers)
      // Another test may have taken the port while it was unused.
      await choosePort()
    }
    const last = start()
    await last.ready
    const names = await usernames(token)
    for (const name of acknowledged) expect(names).toContain(name)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('SIGTERM', () => {
  it('lets requests in progress finish, closes every connection, and leaves no database running', async () => {
    const extra = await freePort()
    const server = start({ WEBSOCKET_PORT: String(extra) })
    await server.ready
    const token = await login(password)
    const listeners = await Promise.all([
      listenAs(url, token),
      listenAs(`http://127.0.0.1:${extra}`, token),
      listenAs(url, token, 'polling'),
    ])
    expect(listeners.map(({ refused }) => refused)).toEqual([null, null, null])
    const open = (to: number, text: string) => {
      const socket = openSocket(to, '127.0.0.1', () => socket.write(text))
      return socket.on('error', () => {}).setEncoding('utf8')
    }
    const upgrade =
      'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
    // Sockets that never authenticate, on both ports.
    const silent = await Promise.all(
      [port, extra].map(
        (to) =>
          new Promise<string>((resolve) => open(to, upgrade).once('data', (data) => resolve(String(data)))),
      ),
    )
    for (const answer of silent) expect(answer).toContain('101 Switching')

    const body = JSON.stringify({ username: 'admin', password })
    let answer = ''
    const slow = open(
      port,
      `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    ).on('data', (data) => (answer += String(data)))
    await until(() => answer.includes('100 Continue'))

    server.signal('SIGTERM')
    await until(() =>
      fetch(url + api.license.view.path).then(
        () => false,
        () => true,
      ),
    )
    slow.write(body)
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(answer).toContain('HTTP/1.1 200')
    expect(databaseRuns()).toBe(false)
    await until(() => listeners.every(({ socket }) => socket.disconnected))
  })

  soakIt('does not wait for a client that never finishes its request', async () => {
    const server = start()
    await server.ready
    const hanging = openSocket(port, '127.0.0.1').on('error', () => {})
    hanging.write(
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
    )
    await new Promise((resolve) => hanging.once('data', resolve))
    server.signal('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(databaseRuns()).toBe(false)
  })
})

describe('a start that cannot succeed prints the reason', () => {
  it('when the environment is invalid: the name of every variable, and no value', async () => {
    const server = start({
      PORT: 'http',
      WEBSOCKET_PORT: '70000',
      DATABASE_URL: 'mysql://user:hunter2@db',
      ADMIN_PASSWORD: 'tooweak',
      SMTP_URL: 'mail.example.org',
      CLOUD: 'cumulus',
      RATE_LIMIT: '5',
      LOG_LEVEL: 'loud',
      TRUST_PROXY: 'everyone',
    })
    expect(await server.ended).toEqual({ code: 1, signal: null })
    for (const name of [
      'PORT',
      'WEBSOCKET_PORT',
      'DATABASE_URL',
      'ADMIN_PASSWORD',
      'SMTP_URL',
      'CLOUD',
      'RATE_LIMIT',
      'LOG_LEVEL',
      'TRUST_PROXY',
    ])
      expect(server.errors()).toMatch(new RegExp(`^  ${name} \\S+`, 'm'))
    expect(server.errors()).not.toMatch(/hunter2|tooweak|cumulus|at .*\.js/)
  })

  soakIt('when another server uses the folder, and leaves that server unharmed', async () => {
    const first = start()
    await first.ready
    const second = start({ PORT: String(await freePort()) })
    expect(await second.ended).toEqual({ code: 1, signal: null })
    expect(second.errors()).toContain('Another Flotilla server is using')
    await connect(url).call(api.health.view, {})
    expect((await readFile(path.join(dataDir, 'master.key'))).length).toBeGreaterThan(0)
  })

  it('when the database cannot be used', async () => {
    const server = start({
      DATABASE_URL: `postgres://user:hunter2@127.0.0.1:${await freePort()}/none`,
      DATA_DIR: `${dataDir}/unused`,
    })
    await until(() => server.out().includes('cannot be reached yet'))
    expect(server.out() + server.errors()).not.toContain('hunter2')
    server.signal('SIGTERM')
    await server.ended
  })
})
