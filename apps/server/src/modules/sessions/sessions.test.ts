import { api } from '@flotilla/contract/api'
import type { Sent } from '@flotilla/contract/endpoint'
import { createHmac } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { SESSION_LIFE_MS, TOKEN_LIFE_MS } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { openMasterKey } from '../../secrets/secrets'
import { PASSWORD, testApp, type Answer, type TestApp } from '../../../test/support/app/app'
import { leaks, recordAnswers } from '../../../test/support/app/secrets'
import { OTHER_PASSWORD, loginCalls } from '../../../test/support/app/login'

let server: TestApp
let answers: Answer[]
let admin: { id: string; token: string }
let ada: { id: string; token: string; username: string }
beforeAll(async () => {
  server = await testApp()
  ;({ answers } = recordAnswers(server))
  admin = await server.person('keeper', ['admin'])
  ada = await server.person('adalove', ['user'])
})
afterAll(() => server.close())

let moved = 0
const advance = (ms: number) => {
  moved += ms
  server.advance(ms)
}
afterEach(() => advance(-moved))

const { login } = loginCalls(() => server)
const fresh = () => server.login(ada.username)
const request = (token: string, repeat = false) => server.answer(api.ui.settings, {}, { token, repeat })
const works = async (token: string) => (await request(token)).status === 200
const change = (body: Sent<typeof api.users.update>['body']) =>
  server.must(api.users.update, { body }, { token: admin.token, admin: true })
const partsOf = (token: string) => {
  const [head = '', payload = '', signature = ''] = token.split('.')
  return {
    head,
    payload,
    signature,
    claims: JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>,
  }
}
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (header: object, body: object, key: Buffer | string) => {
  const content = `${encode(header)}.${encode(body)}`
  return `${content}.${createHmac('sha256', key).update(content).digest('base64url')}`
}

async function idleAfter(seconds: number): Promise<void> {
  await mkdir(path.join(server.dataDir, 'assets'), { recursive: true })
  await writeFile(path.join(server.dataDir, 'assets', 'config.json'), JSON.stringify({ idleTimer: seconds }))
}

describe('a token', () => {
  it('is rejected if it is missing, malformed, unsigned, signed with another key or for another session', async () => {
    const token = await fresh()
    const { head, payload, signature, claims } = partsOf(token)
    const adminClaims = partsOf(admin.token).claims
    const forged = [
      'x',
      `${head}.${payload}.`,
      `${head}.${payload}`,
      `${encode({ alg: 'none' })}.${payload}.`,
      `${encode({ alg: 'none' })}.${payload}.${signature}`,
      `${head}.${encode({ ...claims, role: ['admin'] })}.${signature}`,
      `${head}.${encode({ ...claims, sid: adminClaims.sid })}.${signature}`,
      signed({ alg: 'HS256' }, claims, 'another key'),
      signed({ alg: 'HS256' }, claims, ''),
      token.slice(0, -3),
      `${token} ${token}`,
    ]
    for (const wrong of forged)
      expect((await request(wrong)).json, wrong).toMatchObject({ statusCode: 401, code: 'session_ended' })
    for (const authorization of ['', 'Bearer', 'Bearer ', `Basic ${token}`, token])
      expect((await server.call('GET', api.ui.settings.path, { headers: { authorization } })).status).toBe(
        401,
      )
    expect((await server.refused(api.ui.settings, { query: { token } })).status).toBe(401)
    expect((await server.app.http.inject({ method: 'HEAD', url: api.users.list.path })).statusCode).toBe(401)
    expect(await works(token)).toBe(true)
  })

  it('is valid only for a session of its own user, even if it is signed with the right key', async () => {
    const key = (await openMasterKey(path.join(server.dataDir, 'master.key'))).deriveKey('session tokens')
    const { claims } = partsOf(await fresh())
    const mixed = signed({ alg: 'HS256' }, { ...claims, sid: partsOf(admin.token).claims.sid }, key)
    expect((await request(mixed)).status).toBe(401)
  })

  it('can be refreshed without invalidating the old one, which expires at its own time', async () => {
    const old = await fresh()
    advance(TOKEN_LIFE_MS - 60_000)
    const renewed = await server.must(api.auth.refresh, {}, { token: old })
    expect(renewed).toMatchObject({ user: { username: ada.username } })
    expect(await works(old)).toBe(true)
    advance(120_000)
    expect((await request(old)).json).toMatchObject({ statusCode: 401, code: 'session_ended' })
    expect(await works(renewed.token)).toBe(true)
  })

  it('cannot be refreshed forever, because the session ends', async () => {
    let token = await fresh()
    const step = TOKEN_LIFE_MS - 60_000
    for (let passed = 0; passed + step < SESSION_LIFE_MS; passed += step) {
      advance(step)
      token = (await server.must(api.auth.refresh, {}, { token })).token
    }
    advance(step)
    expect((await request(token)).json).toMatchObject({
      statusCode: 401,
      code: 'session_expired',
      message: messages.sessionExpired,
    })
  })
})

describe('the idle timer', () => {
  afterEach(() => idleAfter(0))

  it('ends a session without activity, which requests that a page repeats on its own do not count as', async () => {
    await idleAfter(600)
    const token = await fresh()
    advance(400_000)
    expect((await request(token, true)).status).toBe(200)
    advance(300_000)
    expect((await request(token, true)).json).toMatchObject({ statusCode: 401, code: 'session_expired' })
    expect((await request(token)).json).toMatchObject({ statusCode: 401, code: 'session_ended' })
  })

  it('starts over with every request of the user', async () => {
    await idleAfter(600)
    const token = await fresh()
    for (let i = 0; i < 4; i++) {
      advance(400_000)
      expect(await works(token)).toBe(true)
    }
  })

  it('never ends a session early, although not every request is written as activity', async () => {
    await idleAfter(60)
    const token = await fresh()
    advance(14_000)
    expect(await works(token)).toBe(true)
    advance(55_000)
    expect(await works(token)).toBe(true)
  })

  it('also ends sessions that send no further request', async () => {
    await idleAfter(600)
    const token = await fresh()
    advance(700_000)
    admin.token = await server.login('keeper')
    await server.app.sweep()
    expect(await works(admin.token)).toBe(true)
    const ids = await server.db.kysely
      .selectFrom('sessions')
      .select('id')
      .where('id', '=', String(partsOf(token).claims.sid))
      .execute()
    expect(ids).toEqual([])
  })
})

describe('ending sessions', () => {
  it('a logout ends only its own session', async () => {
    const [one, other] = [await fresh(), await fresh()]
    await server.must(api.auth.logout, {}, { token: one })
    expect((await request(one)).json).toMatchObject({ statusCode: 401, message: messages.sessionEnded })
    expect((await server.refused(api.auth.refresh, {}, { token: one })).status).toBe(401)
    expect(await works(other)).toBe(true)
  })

  it('a change of the password ends all sessions', async () => {
    const person = await server.person('changer', ['user'])
    const second = await server.login(person.username)
    const set = (token: string, body: Sent<typeof api.users.changePassword>['body']) =>
      server.answer(api.users.changePassword, { body }, { token })
    expect((await set(second, { password: OTHER_PASSWORD })).json).toMatchObject({
      statusCode: 400,
      fields: { currentPassword: expect.any(String) },
    })
    expect(
      (await set(second, { password: OTHER_PASSWORD, currentPassword: 'wrong password' })).json,
    ).toMatchObject({
      code: 'wrong_password',
    })
    expect((await set(second, { password: 'weak', currentPassword: PASSWORD })).json).toMatchObject({
      fields: { password: messages.password },
    })
    expect(await works(second)).toBe(true)
    expect(await set(second, { password: OTHER_PASSWORD, currentPassword: PASSWORD })).toMatchObject({
      status: 200,
      json: { message: messages.passwordUpdated },
    })
    expect([await works(person.token), await works(second)]).toEqual([false, false])
    expect(await server.login(person.username, OTHER_PASSWORD)).toBeTypeOf('string')
  })

  it('removing, logging out or unverifying a user ends their sessions, as does the end of the account', async () => {
    const removed = await server.person('leaver', ['user'])
    await server.must(api.users.remove, { body: { id: removed.id } }, { token: admin.token })
    expect(await works(removed.token)).toBe(false)

    const loggedOut = await fresh()
    await server.must(api.users.logOutEverywhere, { id: ada.id }, { token: admin.token })
    expect(await works(loggedOut)).toBe(false)

    const doubted = await server.person('doubted', ['user'])
    await change({ id: doubted.id, verified: false })
    expect(await works(doubted.token)).toBe(false)
    await change({ id: doubted.id, verified: true })
    // The session was ended, not suspended.
    expect(await works(doubted.token)).toBe(false)
    expect(await server.login('doubted')).toBeTypeOf('string')

    const timed = await server.person('visitor', ['user'])
    await change({ id: timed.id, endTime: Date.now() + 60_000 })
    expect(await works(timed.token)).toBe(true)
    advance(61_000)
    expect((await request(timed.token)).json).toMatchObject({ statusCode: 401, code: 'session_expired' })
    expect((await login(timed.username)).json).toMatchObject({ statusCode: 403, code: 'account_ended' })
    advance(-61_000)
    await change({ id: timed.id, endTime: null })
    expect(await server.login(timed.username)).toBeTypeOf('string')
  })

  it('a logout takes effect while many requests are in flight', async () => {
    const token = await fresh()
    const before = Promise.all(Array.from({ length: 20 }, () => request(token)))
    await server.must(api.auth.logout, {}, { token })
    for (const { status } of await before) expect([200, 401]).toContain(status)
    for (const { status } of await Promise.all(Array.from({ length: 20 }, () => request(token))))
      expect(status).toBe(401)
  })

  it('a revoked role is lost at once', async () => {
    const person = await server.person('fallen', ['admin'])
    await server.must(api.users.list, {}, { token: person.token })
    await change({ id: person.id, role: ['user'] })
    expect((await server.refused(api.users.list, {}, { token: person.token, admin: true })).status).toBe(403)
    expect((await server.must(api.auth.refresh, {}, { token: person.token })).token).toBeTypeOf('string')
  })
})

describe("the caller's own sessions", () => {
  it('are listed with the current one marked, and other users can neither see nor end them', async () => {
    const person = await server.person('many', ['user'])
    const second = await server.login(person.username)
    const sessions = await server.must(api.auth.sessions, {}, { token: second })
    expect(sessions.filter(({ current }) => current)).toHaveLength(1)
    expect(sessions).toHaveLength(2)
    expect(sessions.find(({ current }) => current)?.id).toBe(partsOf(second).claims.sid)

    const stranger = await fresh()
    for (const token of [stranger, admin.token])
      for (const { id } of sessions)
        expect((await server.refused(api.auth.endSession, { id }, { token })).status).toBe(404)
    expect([await works(person.token), await works(second)]).toEqual([true, true])
    await server.must(
      api.auth.endSession,
      { id: String(partsOf(person.token).claims.sid) },
      { token: second },
    )
    expect([await works(person.token), await works(second)]).toEqual([false, true])
  })

  it('can all be ended except the current one', async () => {
    const stranger = await fresh()
    const person = await server.person('others', ['user'])
    const [second, third] = [await server.login(person.username), await server.login(person.username)]
    expect(await server.must(api.auth.endOtherSessions, {}, { token: third })).toEqual({
      ended: 2,
    })
    const left = [person.token, second, third, stranger].map(works)
    expect(await Promise.all(left)).toEqual([false, false, true, true])
  })
})

it('guesses at the current password with a stolen session are blocked after a few attempts', async () => {
  const person = await server.person('stolen', ['user'])
  const guess = (currentPassword: string) =>
    server.answer(
      api.users.changePassword,
      { body: { currentPassword, password: OTHER_PASSWORD } },
      { token: person.token },
    )
  const statuses = await Promise.all(Array.from({ length: 12 }, (_, i) => guess(`wrong password ${i}`)))
  expect(statuses.filter(({ status }) => status === 429)).toHaveLength(2)
  expect((await guess(PASSWORD)).status).toBe(429)
})

it('no secrets appear in the log or the responses', () => {
  expect(leaks(server, answers, [OTHER_PASSWORD])).toEqual([])
})
