import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { access, type Role } from '@flotilla/contract/access'
import { api } from '@flotilla/contract/api'
import { tokenRule, type Endpoint, type Sent } from '@flotilla/contract/endpoint'
import { newPerson, testApp, urlOf, type TestApp } from '../../test/support/app/app'
import { slowRequest } from '../../test/support/app/slow-request'
import { soaking } from '../../test/support/soak'

/* Access is decided when the whole request has arrived: a user who loses access in the meantime changes nothing. */

const writing = Object.entries(api).flatMap(([noun, calls]) =>
  Object.entries(calls as Record<string, Endpoint>)
    .filter(([, { method, access: who }]) => method !== 'GET' && who !== 'everyone')
    .map(([name, endpoint]) => ({ name: `${noun}.${name}`, endpoint })),
)

let server: TestApp
let admin: string
let port: number
beforeAll(async () => {
  server = await testApp()
  admin = (await server.person('keeper', ['admin'])).token
  await server.app.http.listen({ host: '127.0.0.1', port: 0 })
  port = (server.app.http.server.address() as AddressInfo).port
})
afterAll(() => server.close())

let made = 0
const everyRole: Role[] = ['admin', 'instructor', 'user']
/** A user to whom every call is open, and whose session the server has already cached. */
async function caller() {
  const person = await server.person(`slow${++made}`, everyRole)
  await server.must(api.ui.settings, {}, { token: person.token })
  return person
}
type Person = Awaited<ReturnType<typeof caller>>
const change = (body: Sent<typeof api.users.update>['body']) =>
  server.answer(api.users.update, { body }, { token: admin, admin: true })

/** The ways to lose access, each with the reply to the rest of a request. */
const endings: Record<string, { end(person: Person): Promise<{ status: number }>; refused: object }> = {
  'was removed': {
    end: ({ id }) => server.answer(api.users.remove, { body: { id } }, { token: admin }),
    refused: { statusCode: 401, code: 'session_ended' },
  },
  'logged out': {
    end: ({ token }) => server.answer(api.auth.logout, {}, { token }),
    refused: { statusCode: 401, code: 'session_ended' },
  },
  'was logged out everywhere': {
    end: ({ id }) => server.answer(api.users.logOutEverywhere, { id }, { token: admin }),
    refused: { statusCode: 401, code: 'session_ended' },
  },
  'reached the end of their account': {
    end: ({ id }) => change({ id, endTime: Date.now() - 1000 }),
    refused: { statusCode: 401, code: 'session_expired' },
  },
}
const revokeAccess = async (how: string, person: Person) =>
  expect((await endings[how]?.end(person))?.status, how).toBe(200)

// One place rejects for all calls: npm test tries one call per access rule, soak every call.
const tried = soaking
  ? writing
  : writing.filter(
      ({ endpoint }, at) => writing.findIndex((one) => one.endpoint.access === endpoint.access) === at,
    )

describe.each(tried)('$name', ({ endpoint }) => {
  const send = (as: string) =>
    slowRequest(port, endpoint.method, urlOf(endpoint), {
      as,
      body: { some: 'words' },
      headers: { admin: 'true' },
    })

  it('rejects a user whose session ended while the body was being sent', async () => {
    const person = await caller()
    const request = await send(person.token)
    await revokeAccess('logged out', person)
    expect((await request.finish()).json).toMatchObject({ statusCode: 401, code: 'session_ended' })
  })

  it('rejects a user who lost the role, and a token that was revoked', async () => {
    const person = await caller()
    const request = await send(person.token)
    // No call for admins is open to both of these roles.
    const lesser = (['instructor', 'user'] as const).find(
      (role) => !(access[endpoint.access] as readonly Role[]).includes(role),
    )
    await change({ id: person.id, role: [lesser ?? 'user'] })
    const { status } = await request.finish()
    if (lesser) expect(status).toBe(403)
    else expect(status).not.toBe(403)

    if (tokenRule(endpoint) === 'never') return
    const owner = await caller()
    const body = { name: 'slow', scope: 'all' as const }
    const { id, secret } = await server.must(api.accessTokens.create, { body }, { token: owner.token })
    const late = await send(secret)
    await server.must(api.accessTokens.revoke, { id }, { token: owner.token })
    expect((await late.finish()).json).toMatchObject({ statusCode: 401, code: 'bad_access_token' })
  })
})

describe('an account with role admin is not created', () => {
  const usernames = async () =>
    (await server.db.kysely.selectFrom('users').select('username').execute()).map(({ username }) => username)
  const request = (as: string, username: string) =>
    slowRequest(port, 'POST', api.users.create.path, { as, body: newPerson(username, ['admin']) })

  it.each(Object.keys(endings))('by an admin who %s', async (how) => {
    const person = await caller()
    const name = `backdoor${++made}`
    const late = await request(person.token, name)
    await revokeAccess(how, person)
    expect((await late.finish()).json).toMatchObject(endings[how]?.refused ?? {})
    expect(await usernames()).not.toContain(name)
  })

  it('by a former admin', async () => {
    const person = await caller()
    const late = await request(person.token, 'backdoor')
    await change({ id: person.id, role: ['user'] })
    expect(await late.finish()).toMatchObject({ status: 403, json: { code: 'forbidden' } })
    expect(await usernames()).not.toContain('backdoor')
  })

  it('unless nothing has happened in the meantime', async () => {
    const { token } = await caller()
    expect((await (await request(token, 'rightful')).finish()).status).toBe(201)
    expect(await usernames()).toContain('rightful')
  })
})
