import { api } from '@flotilla/contract/api'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, PASSWORD } from './support/app/app'
import { startPostgres, type TestPostgres } from './support/database/postgres'
import { listenAs, testServer, type TestServer } from './support/app/server'
import { until } from './support/until'

let postgres: TestPostgres
let dataDir: string
let one: TestServer
let two: TestServer
let admin: string
let shown: Set<string>
const settings = (server: TestServer, token: string) => server.answer(api.ui.settings, {}, { token })

beforeAll(async () => {
  postgres = await startPostgres()
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-two-'))
  // Both start at once on an empty database without a configured password: one of them creates the admin.
  const place = { databaseUrl: postgres.url, dataDir }
  ;[one, two] = await Promise.all([
    testServer({ ADMIN_PASSWORD: '' }, place),
    testServer({ ADMIN_PASSWORD: '' }, place),
  ])
  shown = new Set(
    [one.running.firstPassword, two.running.firstPassword].filter((password) => password !== null),
  )
  admin = await two.login('admin', [...shown][0])
})
afterAll(async () => {
  await Promise.all([one.stop(), two.stop()])
  await postgres.remove()
  await rm(dataDir, { recursive: true, force: true })
})

const person = async (username: string, role: 'user' | 'admin' = 'user') => {
  const body = newPerson(username, [role])
  const reply = await one.must(api.users.create, { body }, { token: admin })
  return { id: reply.id, username, token: await one.login(username) }
}

describe('two servers on one database', () => {
  it('that start at once on an empty one create exactly one admin', async () => {
    expect(shown.size).toBe(1)
    const reply = await one.must(api.users.list, {}, { token: admin })
    expect(reply.map(({ username }) => username)).toEqual(['admin'])
  })

  it('share sessions, and a change made through one reaches a browser on the other', async () => {
    const ada = await person('adalove')
    expect((await settings(two, ada.token)).status).toBe(200)
    const listeners = await Promise.all([listenAs(two.url, ada.token), listenAs(two.url, admin)])
    await one.must(api.auth.update, { body: { firstName: 'Augusta' } }, { token: ada.token })
    for (const listener of listeners) {
      const users = () => listener.received.filter(({ data }) => data.changed === 'users')
      await until(() => users().length > 0)
      expect(users()).toMatchObject([{ event: 'change' }])
      expect(listener.received.map(({ data }) => data.seq)).toEqual(listener.received.map((_, at) => at + 1))
      listener.socket.disconnect()
    }
  })

  it('end a session everywhere when it ends on one', async () => {
    const bob = await person('bobby')
    const listener = await listenAs(two.url, bob.token)
    expect((await settings(two, bob.token)).status).toBe(200)
    await one.must(api.auth.logout, {}, { token: bob.token })
    await until(async () => (await settings(two, bob.token)).status === 401)
    await until(() => listener.socket.disconnected)
  })

  it('log a person out of both, and take a role away on both', async () => {
    const eve = await person('evelyn', 'admin')
    const listener = await listenAs(two.url, eve.token)
    await two.must(api.users.list, {}, { token: eve.token })
    await one.must(api.users.update, { body: { id: eve.id, role: ['user'] } }, { token: admin, admin: true })
    await until(async () => (await two.answer(api.users.list, {}, { token: eve.token })).status === 403)
    // A server that is still checking her new role would find no session, and close the socket without the event.
    await until(() => listener.received.some(({ data }) => data.changed === 'account'))
    await one.must(api.users.logOutEverywhere, { id: eve.id }, { token: admin })
    await until(() => listener.socket.disconnected)
    expect(listener.received.at(-1)).toMatchObject({ event: 'silentLogout', data: { username: 'evelyn' } })
    expect((await settings(two, eve.token)).status).toBe(401)
  })

  it('count failed logins to one account together', async () => {
    const { username } = await person('guessed')
    const guess = (server: TestServer) =>
      server.answer(api.auth.login, { body: { username, password: 'wrong' } })
    const all = await Promise.all(Array.from({ length: 14 }, (_, i) => guess(i % 2 ? one : two)))
    expect(all.filter(({ status }) => status === 401)).toHaveLength(10)
  })

  it('create one account and one SSH key when both get requests for the same name', async () => {
    const body = {
      username: 'samename',
      firstName: 'Sam',
      lastName: 'Name',
      email: 'same@example.org',
      password: PASSWORD,
    }
    const both = await Promise.all([one, two].map((server) => server.answer(api.auth.register, { body })))
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 406])
    const token = await one.login('samename')
    const keys = await Promise.all(
      [one, two].map((server) => server.answer(api.users.downloadSshKey, {}, { token })),
    )
    expect(keys[0]?.json).toContain('PRIVATE KEY')
    expect(keys[0]?.json).toBe(keys[1]?.json)
  })

  it('accept a recovery link once, whichever of them gets it first', async () => {
    await one.must(api.users.recoverPassword, { body: { username: 'adalove' } })
    const [file] = await until(async () => {
      const files = (await readdir(path.join(dataDir, 'mail'))).filter((name) => name.endsWith('.eml'))
      return files.length > 0 ? files : null
    })
    const mail = await readFile(path.join(dataDir, 'mail', file ?? ''), 'utf8')
    const token = /recoverPassword\/([\w-]+)/.exec(mail.replaceAll('=\r\n', ''))?.[1] ?? ''
    const reset = (server: TestServer) =>
      server.answer(api.users.resetPassword, { body: { token, password: 'An0ther$Password' } })
    expect(
      (await Promise.all([reset(one), reset(two)])).map(({ status }) => status).toSorted((a, b) => a - b),
    ).toEqual([200, 400])
    await until(async () => (await settings(two, admin)).status === 200)
  })
})
