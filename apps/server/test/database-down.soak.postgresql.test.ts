import { api } from '@flotilla/contract/api'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from './support/app/app'
import { startPostgres, type TestPostgres } from './support/database/postgres'
import { listenAs, testServer, type TestServer } from './support/app/server'
import { until } from './support/until'

let postgres: TestPostgres
let web: string
let server: TestServer
let token: string
beforeAll(async () => {
  postgres = await startPostgres()
  web = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-web-'))
  await mkdir(path.join(web, 'static'))
  await writeFile(path.join(web, 'index.html'), '<title>Flotilla</title>')
  server = await testServer({}, { databaseUrl: postgres.url, webFolder: web })
  token = await server.login('admin')
})
afterAll(async () => {
  await server.stop()
  await postgres.remove()
  await rm(web, { recursive: true })
})

const unavailable = { statusCode: 503, code: 'database_unavailable', part: 'database' }
const health = () => server.answer(api.health.view, {})
const mails = async () => (await readdir(path.join(server.dataDir, 'mail'))).length
const newcomer = {
  username: 'newcomer',
  firstName: 'New',
  lastName: 'Comer',
  email: 'new@example.org',
  password: PASSWORD,
}
const users = () => server.answer(api.users.list, {}, { token })
const login = () => server.answer(api.auth.login, { body: { username: 'admin', password: PASSWORD } })
const register = () => server.answer(api.auth.register, { body: newcomer })
const calls: (() => Promise<{ json: unknown }>)[] = [
  login,
  register,
  () => server.answer(api.users.recoverPassword, { body: { username: 'admin' } }),
  () => server.answer(api.ldap.active, {}),
  users,
  () => server.answer(api.auth.logout, {}, { token }),
]

describe.each([
  ['stopped', () => postgres.stop()],
  ['killed', () => postgres.kill()],
])('a database that is %s', (_how, goAway) => {
  it('makes every call that needs it answer 503; the server recovers without a restart once it is back', async () => {
    const listener = await listenAs(server.url, token)
    expect((await health()).status).toBe(200)
    await goAway()
    // These calls arrive while the connections are breaking.
    const during = await Promise.all(Array.from({ length: 10 }, users))
    for (const { status } of during) expect([200, 503]).toContain(status)
    await until(async () => (await health()).status === 503)
    for (const call of calls) expect((await call()).json).toMatchObject(unavailable)
    expect((await health()).json).toMatchObject(unavailable)
    expect((await listenAs(server.url, token)).refused).toBe('no live session')

    expect(await server.must(api.license.view, {})).toMatchObject({ licenseType: 'Site' })
    expect((await server.call('GET', '/login')).json).toContain('<title>Flotilla</title>')
    expect((await server.call('GET', '/assets/config.json')).status).toBe(200)
    expect((await server.call('GET', '/api/docs')).status).toBe(200)

    const before = await mails()
    await postgres.start()
    await until(async () => (await health()).status === 200)
    await server.must(api.users.list, {}, { token })
    // A gap in the event numbers makes connected browsers refetch; later events reach them again.
    await until(() => listener.received.some(({ data }, at) => data.seq !== at + 1))
    const received = listener.received.length
    await server.must(api.auth.update, { body: { firstName: 'Again' } }, { token })
    await until(() => listener.received.length > received)
    listener.socket.disconnect()

    await server.must(api.users.recoverPassword, { body: { username: 'admin' } })
    await until(async () => (await mails()) > before)
    expect((await register()).status).toBeLessThan(500)
  })
})

describe('a database whose processes are suspended', () => {
  afterEach(() => postgres.resume())

  it('is reported within a bounded time, no call hangs, and the server recovers without a restart', async () => {
    const listener = await listenAs(server.url, token)
    const before = await mails()
    // Opens connections that work until the database is paused.
    await Promise.all(Array.from({ length: 10 }, users))
    await postgres.pause()
    const answers = await Promise.all([
      health(),
      ...calls.map((call) => call()),
      // More calls than the pool has connections.
      ...Array.from({ length: 40 }, users),
    ])
    for (const { json } of answers) expect(json).toMatchObject(unavailable)
    // Later calls need new connections.
    expect((await health()).json).toMatchObject(unavailable)
    await server.must(api.license.view, {})

    await postgres.resume()
    await until(async () => (await health()).status === 200)
    token = await server.login('admin')
    await server.must(api.users.list, {}, { token })
    const events = listener.received.length
    await server.must(api.auth.update, { body: { firstName: 'Moved' } }, { token })
    await until(() => listener.received.length > events || !listener.socket.connected)
    listener.socket.disconnect()
    // The queue works again too.
    await server.must(api.users.recoverPassword, { body: { username: 'admin' } })
    await until(async () => (await mails()) > before)
  })

  it('may have committed a write that it never acknowledged, and the reply says so', async () => {
    await postgres.pause()
    const [read, write] = await Promise.all([
      users(),
      server.answer(api.ui.setPreferences, { body: { preferences: { theme: 'dark' } } }, { token }),
    ])
    expect(read.json).toMatchObject(unavailable)
    expect(read.json).not.toHaveProperty('outcome')
    expect(write.json).toMatchObject({
      ...unavailable,
      outcome: 'unknown',
      message: expect.stringContaining('may or may not have been saved'),
    })
    await postgres.resume()
    await until(async () => (await health()).status === 200)
  })
})

it('keeps details of the database out of error replies', async () => {
  await postgres.stop()
  await until(async () => (await health()).status === 503)
  const { json } = await login()
  expect(JSON.stringify(json)).not.toMatch(/127\.0\.0\.1|postgres|tester|ECONN/)
  await postgres.start()
  await until(async () => (await health()).status === 200)
  expect(server.log()).not.toContain(PASSWORD)
  expect(server.log()).not.toMatch(/eyJ[\w-]+\.[\w-]+/)
})
