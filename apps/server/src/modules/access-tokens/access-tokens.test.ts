import { api } from '@flotilla/contract/api'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
import { type CreatedAccessToken } from '@flotilla/contract/people/access-tokens'
import { ACCESS_TOKENS_MAX } from '@flotilla/contract/limits'
import { PASSWORD, testApp, type TestApp } from '../../../test/support/app/app'
import { leaks, recordAnswers } from '../../../test/support/app/secrets'
import { OTHER_PASSWORD } from '../../../test/support/app/login'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

let server: TestApp
let admin: string
beforeAll(async () => {
  server = await testApp()
  admin = (await server.person('keeper', ['admin'])).token
})
afterAll(() => server.close())

let moved = 0
const advance = (ms: number) => {
  moved += ms
  server.advance(ms)
}
afterEach(() => advance(-moved))

const make = async (as: string, more = {}): Promise<CreatedAccessToken> => {
  const body = { name: 'nightly', scope: 'read' as const, ...more }
  return server.must(api.accessTokens.create, { body }, { token: as })
}
const list = (as: string) => server.must(api.accessTokens.list, {}, { token: as })
const callWith = (secret: string) => server.answer(api.ui.settings, {}, { token: secret })
const works = async (secret: string) => {
  const { status, json } = await callWith(secret)
  if (status !== 200) expect(json).toMatchObject({ statusCode: 401, code: 'bad_access_token' })
  return status === 200
}
const change = (body: Sent<typeof api.users.update>['body']) =>
  server.must(api.users.update, { body }, { token: admin, admin: true })

let made = 0
const person = () => server.person(`scripter${++made}`, ['user'])

describe('an access token', () => {
  it('is shown once, stored only as a hash, and never logged', async () => {
    const { id: userId, token } = await person()
    const { secret, ...rest } = await make(token)
    expect(secret).toMatch(/^flt_[0-9a-f]{40}$/)
    expect(rest).toMatchObject({ name: 'nightly', scope: 'read', lastUsedAt: null, lastUsedAddress: null })
    expect(rest.expiresAt - rest.createdAt).toBe(90 * DAY)
    const { answers } = recordAnswers(server)
    expect(await list(token)).toEqual([rest])
    expect(await works(secret)).toBe(true)
    const rows = await server.db.kysely
      .selectFrom('access_tokens')
      .selectAll()
      .where('user_id', '=', userId)
      .execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(secret.slice(4))
    const trail = JSON.stringify(await server.must(api.activities.list, {}, { token: admin }))
    expect(trail).toContain('nightly: read, 90 days')
    expect(leaks(server, answers, [secret])).toEqual([])
    // The log identifies the token by its ID.
    expect(server.log()).toContain(`"accessToken":"${rest.id}"`)
  })

  it("acts as its owner, with the owner's current roles", async () => {
    const { id, token } = await server.person('riser', ['user'])
    const { secret } = await make(token)
    expect(await server.refused(api.users.list, {}, { token: secret, admin: true })).toMatchObject({
      status: 403,
      code: 'forbidden',
    })
    await change({ id, role: ['admin'] })
    await server.must(api.users.list, {}, { token: secret })
    await change({ id, role: ['user'] })
    expect((await server.refused(api.users.list, {}, { token: secret })).status).toBe(403)
  })

  it('is refused outside its scope, and the error names the scope that the call needs', async () => {
    const { token } = await person()
    const { secret } = await make(token)
    const body = { name: 'job', data: { script: 'true' } }
    const job = await server.refused(api.jobs.create, { body }, { token: secret })
    expect(job).toMatchObject({ code: 'token_scope', message: expect.stringContaining('“jobs”') })
    const another = { name: 'another', scope: 'read' as const }
    const more = await server.refused(api.accessTokens.create, { body: another }, { token: secret })
    expect(more).toMatchObject({ code: 'token_scope', message: expect.stringContaining('Log in') })
  })

  it('records when and from which address it was last used, to the minute', async () => {
    const { token } = await person()
    const { secret } = await make(token)
    const used = async () => (await list(token))[0]
    await works(secret)
    const first = await used()
    expect(first).toMatchObject({ lastUsedAt: expect.any(Number), lastUsedAddress: '127.0.0.1' })
    advance(MINUTE / 2)
    await works(secret)
    expect(await used()).toEqual(first)
    advance(MINUTE)
    await works(secret)
    expect((await used())?.lastUsedAt).toBeGreaterThan((first?.lastUsedAt ?? 0) + MINUTE)
  })

  it('does not count as activity of a session', async () => {
    const { id, token } = await person()
    const { secret } = await make(token)
    const active = () =>
      server.db.kysely.selectFrom('sessions').select('last_active_at').where('user_id', '=', id).execute()
    const before = await active()
    advance(10 * MINUTE)
    expect(await works(secret)).toBe(true)
    expect(await active()).toEqual(before)
  })

  it('is refused when it is malformed, and is read only from the header', async () => {
    const { token } = await person()
    const { secret } = await make(token)
    for (const wrong of [
      'flt_',
      `${secret}0`,
      secret.slice(0, -1),
      secret.toUpperCase(),
      `flt_${'a'.repeat(5000)}`,
      `flt_${token}`,
    ])
      expect((await callWith(wrong)).status, wrong).toBe(401)
    for (const authorization of [secret, `Basic ${secret}`, `Bearer  ${secret}`])
      expect((await server.call('GET', api.ui.settings.path, { headers: { authorization } })).status).toBe(
        401,
      )
    expect((await server.refused(api.ui.settings, { query: { token: secret } })).status).toBe(401)
    await expect(server.app.sessions.authenticate(secret, { repeat: true })).rejects.toMatchObject({
      code: 'session_ended',
    })
  })
})

describe('an access token ends at once', () => {
  it('when its owner revokes it, which no one else can', async () => {
    const [{ token }, stranger] = [await person(), await person()]
    const [first, second] = [await make(token), await make(token)]
    const { id } = first
    for (const other of [stranger.token, admin])
      expect((await server.refused(api.accessTokens.revoke, { id }, { token: other })).status).toBe(404)
    expect(await works(first.secret)).toBe(true)
    expect(await server.must(api.accessTokens.revoke, { id }, { token })).toEqual({ id })
    expect((await server.refused(api.accessTokens.revoke, { id }, { token })).status).toBe(404)
    expect([await works(first.secret), await works(second.secret)]).toEqual([false, true])
    expect((await list(token)).map((one) => one.id)).toEqual([second.id])
  })

  it('when an admin logs its owner out everywhere', async () => {
    const { id, username, token } = await person()
    const kept = await make(token)
    const logOut = () => server.must(api.users.logOutEverywhere, { id }, { token: admin })
    expect(await logOut()).toEqual({ message: 'Logged out everywhere, access tokens revoked' })
    expect([await works(kept.secret), (await callWith(token)).status]).toEqual([false, 401])
    // This also ends a token that is created at the same moment.
    for (let round = 0; round < 5; round++) {
      const as = await server.login(username)
      const body = { name: `racing ${round}`, scope: 'all' as const }
      await Promise.all([server.answer(api.accessTokens.create, { body }, { token: as }), logOut()])
      expect(await list(await server.login(username))).toEqual([])
    }
  })

  it('when the user or an admin changes the password, but not when the user logs out', async () => {
    const { id, username, token } = await person()
    const kept = await make(token)
    await server.must(api.auth.logout, {}, { token })
    expect(await works(kept.secret)).toBe(true)
    const body = { currentPassword: PASSWORD, password: OTHER_PASSWORD }
    await server.must(api.users.changePassword, { body }, { token: await server.login(username) })
    expect(await works(kept.secret)).toBe(false)
    const later = await make(await server.login(username, OTHER_PASSWORD))
    await server.must(
      api.users.changePassword,
      { body: { id, password: PASSWORD } },
      { token: admin, admin: true },
    )
    expect(await works(later.secret)).toBe(false)
  })

  it('and cannot be created by a session that a password change has just ended', async () => {
    const { id, token } = await person()
    expect(await list(token)).toEqual([])
    // Another server deletes the sessions before this one is notified of it.
    await server.db.kysely.deleteFrom('sessions').where('user_id', '=', id).execute()
    const body = { name: 'too late', scope: 'all' as const }
    const late = await server.refused(api.accessTokens.create, { body }, { token })
    expect(late).toMatchObject({ status: 401, code: 'session_ended' })
  })

  it('when its account expires, loses its email confirmation or is removed', async () => {
    const { id, token } = await person()
    const { secret } = await make(token)
    await change({ id, endTime: Date.now() + MINUTE })
    expect(await works(secret)).toBe(true)
    advance(2 * MINUTE)
    expect(await works(secret)).toBe(false)
    await change({ id, endTime: null, verified: false })
    expect(await works(secret)).toBe(false)
    await change({ id, verified: true })
    expect(await works(secret)).toBe(true)
    await server.must(api.users.remove, { body: { id } }, { token: admin })
    expect(await works(secret)).toBe(false)
  })
})

it('the limit of access tokens per user holds even when they are created concurrently', async () => {
  const { token } = await person()
  const body = { name: 'one of many', scope: 'all' as const }
  const answers = await Promise.all(
    Array.from({ length: ACCESS_TOKENS_MAX + 5 }, () =>
      server.answer(api.accessTokens.create, { body }, { token }),
    ),
  )
  expect(answers.filter(({ status }) => status === 409).map(({ json }) => json)).toEqual(
    Array.from({ length: 5 }, () => expect.objectContaining({ code: 'too_many_tokens' })),
  )
  expect(await list(token)).toHaveLength(ACCESS_TOKENS_MAX)
})

// This test is last: the time that it advances ends every session.
it('an access token expires on time, stays listed for 30 days and is then removed', async () => {
  const { username, token } = await person()
  const { secret } = await make(token, { days: 30 })
  advance(30 * DAY - MINUTE)
  expect(await works(secret)).toBe(true)
  advance(2 * MINUTE)
  expect(await works(secret)).toBe(false)
  await server.app.sweep()
  const again = await server.login(username)
  expect(await list(again)).toHaveLength(1)
  advance(31 * DAY)
  await server.app.sweep()
  expect(await list(await server.login(username))).toEqual([])
})
