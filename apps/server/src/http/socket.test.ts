import { api } from '@flotilla/contract/api'
import { connect } from 'node:net'
import { Manager } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
import { SOCKETS_PER_PERSON, SOCKETS_PER_SESSION, SOCKETS_UNIDENTIFIED_MAX } from '@flotilla/contract/limits'
import { freePort } from '../db/embedded/postmaster'
import { newPerson, PASSWORD } from '../../test/support/app/app'
import { newDatabase } from '../../test/support/database/database'
import { listenAs, testServer, type SocketListener, type TestServer } from '../../test/support/app/server'
import { until } from '../../test/support/until'
import { soakIt } from '../../test/support/soak'

let database: Awaited<ReturnType<typeof newDatabase>>
let server: TestServer
let socketPort: number
let admin: string
let ada: { id: string; token: string; username: string }
let bob: { id: string; token: string; username: string }
beforeAll(async () => {
  database = await newDatabase()
  socketPort = await freePort()
  server = await testServer({ WEBSOCKET_PORT: String(socketPort) }, { databaseUrl: database.url })
  admin = await server.login('admin')
  ada = await server.person('adalove', ['user'])
  bob = await server.person('bobby', ['user'])
})
afterAll(async () => {
  await server.stop()
  await database.drop()
})

const listeners: SocketListener[] = []
afterEach(() => {
  for (const { socket } of listeners.splice(0)) socket.disconnect()
})
const listen = async (token: string | undefined, transport?: 'websocket' | 'polling', url = server.url) => {
  const listener = await listenAs(url, token, transport)
  listeners.push(listener)
  return listener
}
type Change = Partial<Sent<typeof api.users.update>['body']>
const change = (id: string, more: Change) =>
  server.must(api.users.update, { body: { ...more, id } }, { token: admin, admin: true })
const rename = (id: string, firstName: string) => change(id, { firstName })
const setRole = (id: string, role: Change['role']) => change(id, { role })
const receives = (listener: SocketListener, count: number) => until(() => listener.received.length >= count)
const ends = (listener: SocketListener) => until(() => listener.socket.disconnected)

describe('the socket is rejected', () => {
  it.each(['websocket', 'polling'] as const)('without a live session, by %s', async (transport) => {
    const dead = await server.login(ada.username)
    await server.must(api.auth.logout, {}, { token: dead })
    const [head, payload] = ada.token.split('.')
    const body = { name: 'a script', scope: 'all' as const }
    const made = await server.must(api.accessTokens.create, { body }, { token: ada.token })
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const token of [
      undefined,
      '',
      'x',
      dead,
      made.secret,
      `${head}.${payload}.`,
      `${none}.${payload}.`,
      'a'.repeat(5000),
    ])
      expect((await listen(token, transport)).refused).toBe('no live session')
    expect(server.running.live.count()).toBe(0)
  })
})

describe('live connections are bounded', () => {
  const open = (token: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => listen(token)))
  const refusals = (all: SocketListener[]) => all.filter(({ refused }) => refused !== null)

  it('per session: the existing ones stay, and one that closes makes room', async () => {
    const carol = await server.person('carol', ['user'])
    const all = await open(carol.token, SOCKETS_PER_SESSION + 8)
    expect(refusals(all)).toHaveLength(8)
    expect(refusals(all)[0]).toMatchObject({
      refused: expect.stringContaining('Close some tabs'),
      refusal: { data: { code: 'too_many_sockets' } },
    })
    const mine = all.filter(({ refused }) => refused === null)
    // Neither other users nor another session of the same user are affected.
    expect((await listen(await server.login('carol'))).refused).toBeNull()
    expect((await listen(bob.token)).refused).toBeNull()
    await rename(carol.id, 'Caroline')
    await Promise.all(mine.map((listener) => receives(listener, 1)))
    mine[0]?.socket.disconnect()
    await until(async () => (await listen(carol.token)).refused === null)
  })

  it('per user, however many sessions they open', async () => {
    const dora = await server.person('dorab', ['user'])
    const tokens = await Promise.all(Array.from({ length: 4 }, () => server.login(dora.username)))
    const all = (await Promise.all(tokens.map((token) => open(token, SOCKETS_PER_SESSION - 2)))).flat()
    expect(refusals(all)).toHaveLength(4 * (SOCKETS_PER_SESSION - 2) - SOCKETS_PER_PERSON)
  })

  soakIt('before they are identified: the oldest is closed, and a browser can still connect', async () => {
    // These connections never send anything.
    const silent: Manager[] = []
    let closed = 0
    for (let made = 0; made < SOCKETS_UNIDENTIFIED_MAX + 20; made += 20) {
      const some = Array.from(
        { length: 20 },
        () => new Manager(server.url, { transports: ['websocket'], reconnection: false }),
      )
      silent.push(...some)
      for (const one of some) one.on('close', () => closed++)
      await Promise.all(some.map((one) => new Promise<void>((done) => one.once('open', done))))
    }
    await until(() => closed >= 20)
    expect((await listen(bob.token)).refused).toBeNull()
    // Connections that never send anything are closed eventually.
    await until(() => closed === silent.length)
  })
})

describe('the socket announces', () => {
  it.each(['websocket', 'polling'] as const)('changes by %s, with consecutive numbers', async (transport) => {
    const listener = await listen(admin, transport)
    expect(listener.refused).toBeNull()
    for (const firstName of ['Ada', 'Augusta', 'Byron']) await rename(ada.id, firstName)
    await receives(listener, 3)
    expect(listener.received).toEqual(
      [1, 2, 3].map((seq) => ({ event: 'change', data: { changed: 'users', seq } })),
    )
  })

  it('changes on its own port too, which serves nothing else', async () => {
    for (const transport of ['websocket', 'polling'] as const) {
      const listener = await listen(ada.token, transport, `http://127.0.0.1:${socketPort}`)
      expect(listener.refused).toBeNull()
      await rename(ada.id, 'Port')
      await receives(listener, 1)
    }
    expect((await fetch(`http://127.0.0.1:${socketPort}${api.license.view.path}`)).status).toBe(404)
    expect((await fetch(`http://127.0.0.1:${socketPort}/`)).status).toBe(404)
  })

  it('changes of a user to the user and to admins, and to no one else', async () => {
    const [mine, theirs, all] = [await listen(ada.token), await listen(bob.token), await listen(admin)]
    await rename(bob.id, 'Robert')
    await receives(theirs, 2)
    await rename(ada.id, 'Ada')
    await receives(mine, 2)
    await receives(all, 2)
    // There would be more if they received each other's.
    for (const { received } of [mine, theirs])
      expect(received.map(({ data }) => data)).toEqual([
        { changed: 'users', seq: 1 },
        { changed: 'account', seq: 2 },
      ])
    expect(all.received.map(({ data }) => data)).toEqual([1, 2].map((seq) => ({ changed: 'users', seq })))
  })

  it('a new role or end of the account to the user, and a past end before it closes', async () => {
    const demo = await server.person('livedemo', ['user'])
    const listener = await listen(demo.token)
    const changes: [Change, number][] = [
      [{ role: ['instructor'] }, 1],
      [{ endTime: Date.now() + 3_600_000 }, 2],
    ]
    for (const [body, count] of changes) {
      await change(demo.id, body)
      await until(
        () =>
          listener.received.filter(({ data }) => 'changed' in data && data.changed === 'account').length ===
          count,
      )
    }
    expect(await server.must(api.auth.refresh, {}, { token: demo.token })).toMatchObject({
      user: { role: ['instructor'], endTime: expect.any(Number) },
    })
    await change(demo.id, { endTime: Date.now() - 1000 })
    await ends(listener)
    expect(listener.received.at(-1)).toMatchObject({
      event: 'publicDemoSessionIsEnding',
      data: { username: 'livedemo' },
    })
  })

  it('no change that was rejected', async () => {
    const listener = await listen(admin)
    const bad = { as: admin, body: { username: 'bobby' } }
    expect((await server.call('POST', api.users.create.path, bad)).status).toBe(400)
    const taken = { ...newPerson('bobby', ['user' as const]), email: 'x@example.org' }
    expect((await server.refused(api.users.create, { body: taken }, { token: admin })).status).toBe(406)
    await rename(bob.id, 'Bob')
    await receives(listener, 1)
    expect(listener.received).toHaveLength(1)
  })
})

describe('the socket is closed immediately', () => {
  it('when its session ends, and no other one is', async () => {
    const [one, two] = [await server.login(ada.username), await server.login(ada.username)]
    const [first, second] = [await listen(one), await listen(two)]
    await server.must(api.auth.logout, {}, { token: one })
    await ends(first)
    expect(second.socket.connected).toBe(true)
    const third = await listen(await server.login(ada.username))
    await server.must(api.auth.endOtherSessions, {}, { token: two })
    await ends(third)
    expect(second.socket.connected).toBe(true)
    ada.token = two
  })

  it('when the password changes', async () => {
    const person = await server.person('changer', ['user'])
    const listener = await listen(person.token, 'polling')
    const body = { currentPassword: PASSWORD, password: 'An0ther$Password' }
    await server.must(api.users.changePassword, { body }, { token: person.token })
    await ends(listener)
    expect(listener.socket.disconnected).toBe(true)
  })

  it('when the user is logged out everywhere, and only that user is notified', async () => {
    const person = await server.person('loggedout', ['user'])
    const [listener, other, all] = [await listen(person.token), await listen(ada.token), await listen(admin)]
    await server.must(api.users.logOutEverywhere, { id: person.id }, { token: admin })
    await ends(listener)
    expect(listener.received).toEqual([{ event: 'silentLogout', data: { username: 'loggedout', seq: 1 } }])
    await rename(ada.id, 'Ada')
    await receives(other, 2)
    await receives(all, 1)
    expect([...other.received, ...all.received].map(({ event }) => event)).toEqual([
      'change',
      'change',
      'change',
    ])
  })

  it('when an admin marks the email address as not confirmed', async () => {
    const person = await server.person('doubted', ['user'])
    const listener = await listen(person.token)
    await change(person.id, { verified: false })
    await ends(listener)
    expect(listener.received[0]).toMatchObject({ event: 'silentLogout', data: { username: 'doubted' } })
  })

  it('when the user is removed', async () => {
    const person = await server.person('removed', ['user'])
    const [listener, all] = [await listen(person.token), await listen(admin)]
    await server.must(api.users.remove, { body: { id: person.id } }, { token: admin })
    await ends(listener)
    expect(listener.received[0]).toMatchObject({ event: 'silentLogout', data: { username: 'removed' } })
    await receives(all, 1)
    expect(all.received[0]).toMatchObject({ event: 'change', data: { changed: 'users' } })
  })

  it('even if it opens at the moment at which its session ends', async () => {
    for (let i = 0; i < 8; i++) {
      const token = await server.login(ada.username)
      const opening = listen(token)
      const [listener] = await Promise.all([opening, server.must(api.auth.logout, {}, { token })])
      if (!listener.refused) await ends(listener)
    }
    expect(await until(() => server.running.live.count() === 0)).toBe(true)
  })
})

it('a new role receives events immediately, and a revoked one no longer does', async () => {
  const token = await server.login(ada.username)
  const listener = await listen(token)
  await setRole(ada.id, ['admin', 'user'])
  await rename(bob.id, 'Robert')
  await receives(listener, 3)
  await setRole(ada.id, ['user'])
  await rename(bob.id, 'Secret')
  await rename(ada.id, 'Heard')
  await server.must(api.auth.logout, {}, { token })
  await ends(listener)
  // Three changes of the user, each of the list and of the account, and one of Bob.
  expect(listener.received.map(({ data }) => data.seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
})

it('survives clients that send unexpected messages', async () => {
  const listener = await listen(ada.token)
  listener.socket.emit('change', { changed: 'users', seq: 1 })
  listener.socket.emit('join', 'role:admin')
  listener.socket.emit('big', 'x'.repeat(200_000))
  await ends(listener)
  const raw = connect(socketPort, '127.0.0.1', () =>
    raw.write('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  )
  await new Promise((resolve) => raw.on('error', resolve).on('close', resolve))
  expect((await listen(ada.token)).refused).toBeNull()
})

it('keeps tokens out of the log', () => {
  expect(server.log().length).toBeGreaterThan(0)
  expect(server.log()).not.toMatch(/eyJ[\w-]+\.[\w-]+/)
  expect(server.log()).not.toContain('token=')
})
