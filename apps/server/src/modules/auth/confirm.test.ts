import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { api } from '@flotilla/contract/api'
import { tokenRule, type Endpoint, type Sent } from '@flotilla/contract/endpoint'
import { ATTEMPTS_MAX, CONFIRMATION_MS } from '@flotilla/contract/limits'
import { newPerson, PASSWORD, urlOf, type Answer, type TestApp } from '../../../test/support/app/app'
import { licensedApp } from '../../../test/support/app/licensed-app'
import { leaks, recordAnswers } from '../../../test/support/app/secrets'
import { OTHER_PASSWORD, registration } from '../../../test/support/app/login'

let server: TestApp
let answers: Answer[]
let admin: string
let license: (licenseType: string) => Promise<void>
let close: () => Promise<void>
beforeAll(async () => {
  ;({ server, license, close } = await licensedApp('Site'))
  ;({ answers } = recordAnswers(server))
  admin = (await server.person('keeper', ['admin'])).token
})
afterAll(() => close())

let moved = 0
const advance = (ms: number) => {
  moved += ms
  server.advance(ms)
}
afterEach(() => advance(-moved))

let made = 0
const person = () => server.person(`confirmer${++made}`, ['user', 'instructor', 'admin'])
const confirm = (as: string, password = PASSWORD) =>
  server.answer(api.auth.confirm, { body: { password } }, { token: as })
const makeToken = (as: string) =>
  server.answer(api.accessTokens.create, { body: { name: 'nightly', scope: 'all' } }, { token: as })
const NEEDED = { statusCode: 403, code: 'confirm_needed' }
const trail = async (action: string) =>
  (await server.must(api.activities.list, { query: { limit: 50 } }, { token: admin })).filter(
    (line) => line.action === action,
  )

const endpoints = Object.entries(api).flatMap(([noun, calls]) =>
  Object.entries(calls as Record<string, Endpoint>).map(([name, endpoint]) => ({
    name: `${noun}.${name}`,
    endpoint,
  })),
)

describe('a call that always needs the password', () => {
  const always = endpoints.filter(({ endpoint }) => endpoint.confirm === true)
  const bodies: Record<string, object> = { 'mail.set': { from: null, server: null } }

  it('cannot be made with an access token', () => {
    expect(always.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['accessTokens.create', 'users.downloadSshKey', 'clusters.downloadSshKey']),
    )
    for (const { name, endpoint } of always) expect(tokenRule(endpoint), name).toBe('never')
  })

  it.each(always)(
    '$name needs it after 15 minutes, and not again right after it was entered',
    async ({ name, endpoint }) => {
      const { token } = await person()
      const send = () =>
        server.call(endpoint.method, urlOf(endpoint), {
          as: token,
          ...(endpoint.body && { body: bodies[name] ?? { name: 'nightly', scope: 'read' } }),
        })
      const works = async () => expect((await send()).json ?? {}).not.toMatchObject(NEEDED)
      advance(CONFIRMATION_MS - 1000)
      await works()
      advance(1000)
      expect((await send()).json).toMatchObject(NEEDED)
      const answer = await confirm(token)
      expect(answer).toMatchObject({ status: 200, json: { confirmedUntil: expect.any(Number) } })
      await works()
      advance(CONFIRMATION_MS - 1000)
      await works()
      advance(1000)
      expect((await send()).json).toMatchObject(NEEDED)
    },
  )
})

describe("a change of the user's own email address", () => {
  const moves: Record<string, (who: { id: string; token: string }, email: string) => Promise<Answer>> = {
    'PUT /api/auth/update': ({ token }, email) =>
      server.answer(api.auth.update, { body: { email } }, { token }),
    'PUT /api/users/': ({ id, token }, email) =>
      server.answer(api.users.update, { body: { id, email } }, { token }),
    'PUT /api/users/ with admin scope': ({ id, token }, email) =>
      server.answer(api.users.update, { body: { id, email } }, { token, admin: true }),
  }
  afterEach(() => license('Site'))

  it.each(
    ['Site', 'Multi-User', 'Enterprise'].flatMap((type) => Object.keys(moves).map((how) => [type, how])),
  )('needs the password with the %s license, by %s', async (type = '', how = '') => {
    await license(type)
    const who = await server.person(`mover${++made}`, how.includes('scope') ? ['admin'] : ['user'])
    const move = moves[how] ?? (() => Promise.reject(new Error('unknown endpoint')))
    const address = async () =>
      (await server.db.kysely.selectFrom('users').select('email').where('id', '=', who.id).execute())[0]
        ?.email
    advance(CONFIRMATION_MS)
    expect((await move(who, `${who.username}@thief.example`)).json).toMatchObject(NEEDED)
    expect(await address()).toBe(`${who.username}@example.org`)
    // Sending the same address is not a change.
    expect((await move(who, `${who.username}@example.org`)).status).toBe(200)
    await confirm(who.token)
    expect((await move(who, `${who.username}@elsewhere.org`)).status).toBe(200)
    expect(await address()).toBe(`${who.username}@elsewhere.org`)
  })
})

describe('a stolen session of an admin', () => {
  const change = (token: string, body: Sent<typeof api.users.update>['body']) =>
    server.answer(api.users.update, { body }, { token, admin: true })
  const takeovers: Record<string, (as: string, id: string) => Promise<Answer>> = {
    'a new admin': (token) =>
      server.answer(api.users.create, { body: newPerson(`mole${++made}`, ['admin' as const]) }, { token }),
    'the role of another': (as, id) => change(as, { id, role: ['user', 'admin'] }),
    'the address of another': (as, id) => change(as, { id, email: `moved${++made}@example.org` }),
    'the password of another': (token, id) =>
      server.answer(
        api.users.changePassword,
        { body: { id, password: OTHER_PASSWORD } },
        { token, admin: true },
      ),
  }

  it.each(Object.entries(takeovers))('takes over nothing without the password: %s', async (_what, take) => {
    const { id } = await server.person(`victim${++made}`, ['user'])
    const { token } = await person()
    advance(CONFIRMATION_MS)
    expect((await take(token, id)).json).toMatchObject(NEEDED)
    await confirm(token)
    expect((await take(token, id)).status).toBeLessThan(300)
  })

  it('may still make changes that grant no one more rights', async () => {
    const { id } = await server.person(`plain${++made}`, ['user'])
    const { token } = await person()
    advance(CONFIRMATION_MS)
    const as = { token, admin: true }
    expect(await server.must(api.auth.update, { body: { firstName: 'Grace' } }, as)).toMatchObject({
      firstName: 'Grace',
    })
    const lesser = { id, firstName: 'Grace', role: ['instructor' as const] }
    expect(await server.must(api.users.update, { body: lesser }, as)).toMatchObject({ role: ['instructor'] })
    const body = newPerson(`plain${++made}`, ['user' as const])
    expect(await server.must(api.users.create, { body }, { token })).toMatchObject({ role: ['user'] })
  })
})

describe('a confirmation', () => {
  it('applies to one session only; logging in or registering counts as one', async () => {
    const { token, username } = await person()
    advance(CONFIRMATION_MS)
    expect((await makeToken(token)).json).toMatchObject(NEEDED)
    const other = await server.login(username)
    expect((await makeToken(other)).status).toBe(201)
    expect((await makeToken(token)).json).toMatchObject(NEEDED)
    const registered = await server.must(api.auth.register, { body: registration('newcomer') })
    expect((await makeToken(registered.token ?? '')).status).toBe(201)
  })

  it('is not extended by a new token for the session', async () => {
    const { token } = await person()
    advance(CONFIRMATION_MS)
    const renewed = (await server.must(api.auth.refresh, {}, { token })).token
    expect((await makeToken(renewed)).json).toMatchObject(NEEDED)
  })

  it('is missing in sessions from before confirmations existed', async () => {
    const { id, token } = await person()
    await server.db.kysely
      .updateTable('sessions')
      .set({ confirmed_at: null })
      .where('user_id', '=', id)
      .execute()
    expect((await makeToken(token)).json).toMatchObject(NEEDED)
  })

  it('is refused for a wrong password, and the failure is recorded', async () => {
    const { token } = await person()
    advance(CONFIRMATION_MS)
    const before = (await trail('password confirmation failed')).length
    expect(await confirm(token, 'Not-My-Passw0rd!')).toMatchObject({
      status: 400,
      json: { code: 'wrong_password', fields: { password: 'Incorrect password' } },
    })
    expect((await makeToken(token)).json).toMatchObject(NEEDED)
    expect(await trail('password confirmation failed')).toHaveLength(before + 1)
  })

  it('shares its limit on guesses with the password change', async () => {
    const { token } = await person()
    advance(CONFIRMATION_MS)
    const guesses = await Promise.all(
      Array.from({ length: ATTEMPTS_MAX - 1 }, (_, i) => confirm(token, `guess number ${i}`)),
    )
    for (const { status } of guesses) expect(status).toBe(400)
    const body = { currentPassword: 'one more guess', password: OTHER_PASSWORD }
    expect((await server.refused(api.users.changePassword, { body }, { token })).status).toBe(400)
    expect((await confirm(token)).json).toMatchObject({ statusCode: 429, code: 'too_many_attempts' })
    expect((await makeToken(token)).json).toMatchObject(NEEDED)
  })

  it('needs a session and cannot be made with an access token', async () => {
    const { token } = await person()
    const { secret } = (await makeToken(token)).json
    expect((await confirm(secret)).json).toMatchObject({ statusCode: 403, code: 'token_scope' })
  })

  it('is refused for a user without a password on this site', async () => {
    const { id, token } = await person()
    await server.db.kysely.updateTable('users').set({ password_hash: null }).where('id', '=', id).execute()
    for (const guess of [PASSWORD, 'null', 'undefined'])
      expect((await confirm(token, guess)).status).toBe(400)
  })
})

it('the API reference names the calls that need a confirmed password', async () => {
  const { text } = await server.call('GET', '/api/openapi.json')
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { description: string }>> }
  expect(paths['/api/access-tokens']?.post?.description).toContain(
    'Needs a confirmed password (see auth.confirm).',
  )
  expect(paths['/api/auth/update']?.put?.description).toContain('password to change your own email address')
})

it('passwords stay out of the log and the replies', () => {
  const intended = answers.filter(({ text }) => text.includes('PRIVATE KEY') || text.includes('"secret"'))
  expect(
    leaks(
      server,
      answers.filter((answer) => !intended.includes(answer)),
      ['Not-My-Passw0rd!'],
    ),
  ).toEqual([])
})
