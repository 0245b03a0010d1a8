import { api } from '@flotilla/contract/api'
import type { CallOptions } from '@flotilla/client/request'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeRefusals } from './refusals'
import { PASSWORD, testApp, type TestApp } from '../../../test/support/app/app'
import { testSystem } from '../../../test/support/app/audit'
import { databaseOfTest } from '../../../test/support/database/database'
import { testLog } from '../../../test/support/log'
import { newName, loginCalls } from '../../../test/support/app/login'

const MINUTE = 60_000
const WRONG = 'not the password'

let server: TestApp
let admin: { id: string; token: string }
beforeAll(async () => {
  server = await testApp()
  admin = await server.person('keeper', ['admin'])
})
afterAll(() => server.close())

const { login } = loginCalls(() => server)
/** The newest lines about this, once everything is written. */
const trail = async (about: string) => {
  await server.app.sweep()
  const all = await server.must(api.activities.list, { query: { limit: 1000 } }, { token: admin.token })
  return all
    .filter(({ actor, action, subject }) => `${actor} ${action} ${subject}`.includes(about))
    .map(({ actor, action, subject, detail }) => [actor, action, subject, detail].join(' | '))
}

describe('a failed login', () => {
  it('is recorded with the account, the reason and the network', async () => {
    const { username } = await server.person(newName(), ['user'])
    expect((await login(username, WRONG)).status).toBe(401)
    expect(await trail(username)).toEqual([
      `a visitor | login failed | user ${username} | wrong password, from 127.0.0.1`,
    ])
  })

  it.each([
    ['has ended', { endTime: 1 }, 'the account has expired'],
    ['is not confirmed', { verified: false }, 'the email address is not confirmed'],
  ])('with the right password of an account that %s is recorded too', async (_what, change, reason) => {
    const { id, username } = await server.person(newName(), ['user'])
    await server.must(api.users.update, { body: { id, ...change } }, { token: admin.token, admin: true })
    expect((await login(username)).status).toBe(403)
    expect((await trail(username))[0]).toBe(
      `a visitor | login failed | user ${username} | ${reason}, from 127.0.0.1`,
    )
  })

  it('with an unknown username is recorded without the username, which may be a mistyped password', async () => {
    const typed = 'my-secret-passw0rd!'
    await login(typed, WRONG)
    expect((await trail('unknown account'))[0]).toBe(
      'a visitor | login failed | unknown account | wrong username, from 127.0.0.1',
    )
    const everywhere = await Promise.all(
      (['activities', 'attempts', 'sessions'] as const).map((table) =>
        server.db.kysely.selectFrom(table).selectAll().execute(),
      ),
    )
    expect(JSON.stringify(everywhere)).not.toContain(typed)
    expect(server.log()).not.toContain(typed)
  })

  it('that is repeated is counted, not written each time', async () => {
    const { username } = await server.person(newName(), ['user'])
    for (let i = 0; i < 7; i++) await login(username, WRONG)
    expect(await trail(username)).toHaveLength(1)
    server.advance(MINUTE)
    expect(await trail(username)).toEqual([
      `a visitor | login failed | user ${username} | 6 more times: wrong password, from 127.0.0.1`,
      `a visitor | login failed | user ${username} | wrong password, from 127.0.0.1`,
    ])
    for (let i = 0; i < 6; i++) await login(username, WRONG)
    expect((await trail(username))[0]).toContain('too many attempts, from 127.0.0.1')
  })

  it('with random usernames leaves at most one record per network', async () => {
    server.advance(MINUTE)
    await trail('')
    const before = (await trail('unknown account')).length
    const addresses = ['192.0.2.1', '2001:db8:1:2::3', '2001:db8:1:2::4']
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        server.call('POST', api.auth.login.path, {
          from: addresses[i % 3],
          body: { username: `guess${i}`, password: WRONG },
        }),
      ),
    )
    const lines = await trail('unknown account')
    expect(lines).toHaveLength(before + 2)
    expect(lines.slice(0, 2).join('\n')).toContain('from 2001:db8:1:2::/64')
  })
})

it('a wrong current password in a password change is recorded', async () => {
  const { username, token } = await server.person(newName(), ['user'])
  const body = { currentPassword: WRONG, password: 'An0ther$Password' }
  expect((await server.refused(api.users.changePassword, { body }, { token })).status).toBe(400)
  expect((await trail(username))[0]).toContain('password confirmation failed')
})

it('the number of records per minute is bounded, however many different refusals there are', async () => {
  const db = await databaseOfTest()
  let time = 0
  const refusals = makeRefusals({ db, system: testSystem, log: testLog().log, now: () => time })
  const activity = (index: number) => ({
    action: 'login failed' as const,
    subject: { kind: 'user' as const, id: null, name: String(index) },
    detail: '',
  })
  const lines = async () => {
    await refusals.sweep()
    return db.kysely.selectFrom('activities').select(['actor', 'subject', 'detail']).orderBy('id').execute()
  }
  for (let index = 0; index < 5000; index++) refusals.note(null, testSystem, activity(index))
  expect(await lines()).toHaveLength(101)
  time += MINUTE
  const all = await lines()
  expect(all).toHaveLength(102)
  expect(all.at(-1)).toMatchObject({
    actor: 'several people',
    subject: 'various',
    detail: '4,899 more times: too many different ones to list',
  })
  // The repeats of a window that has not ended are written when the server stops.
  for (let index = 0; index < 3; index++) refusals.note(null, testSystem, activity(1))
  await refusals.stop()
  expect((await lines()).at(-1)).toMatchObject({ subject: 'user 1', detail: '2 more times' })
})

describe('a call that is for admins only', () => {
  it('is recorded by its route when another role makes it, and counted when it is repeated', async () => {
    const { id, username, token } = await server.person(newName(), ['user'])
    for (let i = 0; i < 3; i++)
      expect((await server.refused(api.users.owned, { id }, { token })).status).toBe(403)
    expect(await trail(username)).toEqual([
      `${username} | admin call refused | GET /api/users/:id/owned | from 127.0.0.1`,
    ])
    server.advance(MINUTE)
    expect((await trail(username))[0]).toContain('2 more times')
  })

  it("is recorded when an admin's access token lacks the scope", async () => {
    const { username, token } = await server.person(newName(), ['admin'])
    const { secret } = await server.must(
      api.accessTokens.create,
      { body: { name: 'reader', scope: 'read', days: 1 } },
      { token },
    )
    const body = { jobsReachConsole: true }
    expect((await server.refused(api.settings.setSecurity, { body }, { token: secret })).status).toBe(403)
    expect((await trail(username))[0]).toMatch(
      /admin call refused \| PUT .* \| access token, from 127\.0\.0\.1$/,
    )
  })

  it('is not recorded for visitors, and a refused call that is for other roles is not either', async () => {
    const before = (await trail('call refused')).length
    const { token } = await server.person(newName(), ['participant'])
    expect((await server.refused(api.activities.list, {})).status).toBe(401)
    expect((await server.refused(api.jobs.list, {}, { token })).status).toBe(403)
    expect(await trail('call refused')).toHaveLength(before)
  })
})

describe('a private key', () => {
  it('of a user is recorded when the user downloads it', async () => {
    const { username, token } = await server.person(newName(), ['user'])
    const { text } = await server.answer(api.users.downloadSshKey, {}, { token })
    expect(text).toContain('PRIVATE KEY')
    expect(await trail(username)).toEqual([`${username} | private key downloaded | user ${username} | `])
  })

  it('of a cluster is given to its owner, and to an admin only with admin scope; both are recorded', async () => {
    const { username, token } = await server.person(newName(), ['user'])
    const head = { host: 'head.example.org', username: 'keeper' }
    const { id } = await server.must(
      api.clusters.createLocal,
      { body: { name: `Cluster of ${username}`, data: { manager: 'slurm', transport: 'ssh', head } } },
      { token },
    )
    const key = (as: CallOptions) => server.answer(api.clusters.downloadSshKey, { id }, as)
    expect((await key({ token })).text).toContain('PRIVATE KEY')
    expect((await key({ token: admin.token })).json).toMatchObject({
      statusCode: 403,
      code: 'admin_scope_needed',
    })
    expect((await key({ token: admin.token, admin: true })).text).toContain('PRIVATE KEY')
    const stranger = await server.person(newName(), ['user'])
    expect((await key({ token: stranger.token, admin: true })).status).toBe(404)

    const lines = (await trail(`cluster Cluster of ${username}`)).filter((line) => line.includes('key'))
    expect(lines).toEqual([
      `keeper | private key downloaded | cluster Cluster of ${username} | by an admin; the owner is ${username}`,
      `${username} | private key downloaded | cluster Cluster of ${username} | by its owner`,
    ])
    // The owner sees the admin's download too.
    const seen = await server.must(api.clusters.activities, { id }, { token })
    expect(JSON.stringify(seen)).toContain('by an admin')
  })
})

it('the audit trail holds no secrets', async () => {
  const all = JSON.stringify(await server.db.kysely.selectFrom('activities').selectAll().execute())
  for (const secret of ['PRIVATE KEY', PASSWORD, WRONG, 'flt_']) expect(all).not.toContain(secret)
})
