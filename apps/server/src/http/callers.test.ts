import type { ApiError } from '@flotilla/client/api-error'
import type { CallOptions } from '@flotilla/client/request'
import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, testApp, type Answer, type TestApp } from '../../test/support/app/app'
import { holdTransactions } from '../../test/support/database/held-transactions'
import { OTHER_PASSWORD } from '../../test/support/app/login'

/* Revoking a right and using it are serialized: whichever begins first ends before the other. */

let server: TestApp
let admin: { id: string; token: string }
beforeAll(async () => {
  server = await testApp()
  admin = await server.person('keeper', ['admin'])
})
afterAll(() => server.close())

let made = 0
const person = () => server.person(`caller${++made}`, ['admin', 'user'])
type Person = Awaited<ReturnType<typeof person>>

const newAdmin = (username: string) => newPerson(username, ['admin' as const])
const createUser = (token: string, username: string) =>
  server.answer(api.users.create, { body: newAdmin(username) }, { token })
const usernames = async () =>
  (await server.db.kysely.selectFrom('users').select('username').execute()).map(({ username }) => username)

/** Everything that takes rights away from a user, most of it done by another admin. */
const losses: Record<string, (who: Person) => Promise<Answer>> = {
  removal: ({ id }) => server.answer(api.users.remove, { body: { id } }, { token: admin.token }),
  'a lost role': ({ id }) =>
    server.answer(api.users.update, { body: { id, role: ['user'] } }, { token: admin.token, admin: true }),
  'the end of the account': ({ id }) =>
    server.answer(api.users.update, { body: { id, endTime: 1 } }, { token: admin.token, admin: true }),
  'a new password': ({ id }) =>
    server.answer(
      api.users.changePassword,
      { body: { id, password: OTHER_PASSWORD } },
      { token: admin.token, admin: true },
    ),
  'being logged out everywhere': ({ id }) =>
    server.answer(api.users.logOutEverywhere, { id }, { token: admin.token }),
  'logging out': ({ token }) => server.answer(api.auth.logout, {}, { token }),
}

describe.each(Object.keys(losses))('%s', (loss) => {
  const lose = (who: Person) => losses[loss]?.(who) ?? Promise.reject(new Error('no such loss'))

  it('that comes first stops a write that was authorized before it', async () => {
    const who = await person()
    const name = `late${++made}`
    const held = await holdTransactions(server.db.url)
    const lost = lose(who)
    await held.waiting(1)
    const late = createUser(who.token, name)
    // A removal ends the user's sessions first, so the late call is rejected without waiting.
    if (loss !== 'removal') await held.waiting(2)
    await held.release()
    expect((await lost).status).toBe(200)
    expect((await late).status).toBe(loss === 'a lost role' ? 403 : 401)
    expect(await usernames()).not.toContain(name)
  })

  it('waits for a write that began before it', async () => {
    const who = await person()
    const name = `early${++made}`
    const held = await holdTransactions(server.db.url)
    const early = createUser(who.token, name)
    await held.waiting(1)
    let over = false
    const lost = lose(who).finally(() => (over = true))
    await held.waiting(2)
    expect(over).toBe(false)
    await held.release()
    expect([(await early).status, (await lost).status]).toEqual([201, 200])
    const trail = await server.db.kysely
      .selectFrom('activities')
      .select('action')
      .orderBy('id', 'desc')
      .limit(2)
      .execute()
    expect(trail.map(({ action }) => action)[1]).toBe('user created')
  })
})

it('two admins who revoke each other’s access do not deadlock', async () => {
  for (let round = 0; round < 5; round++) {
    const [one, two] = [await person(), await person()]
    const logOut = ({ token }: Person, id: string) =>
      server.answer(api.users.logOutEverywhere, { id }, { token })
    const held = await holdTransactions(server.db.url)
    const both = [logOut(one, two.id), logOut(two, one.id)]
    await held.waiting(2)
    await held.release()
    const statuses = (await Promise.all(both)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401])
  }
})

it('the calls of one user do not wait for each other', async () => {
  const who = await person()
  const held = await holdTransactions(server.db.url)
  const calls = ['first', 'second', 'third'].map((name) => createUser(who.token, `${name}of${who.username}`))
  await held.waiting(3)
  await held.release()
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([201, 201, 201])
  const setTheme = (theme: 'dark' | 'light') =>
    server.must(api.ui.setPreferences, { body: { preferences: { theme } } }, { token: who.token })
  await Promise.all(Array.from({ length: 12 }, (_, i) => setTheme(i % 2 ? 'dark' : 'light')))
})

describe('a session that another server has just ended writes nothing', () => {
  const job = { name: 'late', data: { script: 'true' } }
  const keys = { access_key: 'a', secret_key: 'b' }
  const credential = { name: 'late', provider: 'aws' as const, data: keys }
  const data = { manager: 'none' as const, transport: 'local' as const, virtualNodes: {} }
  const theirs = () => ({ id: admin.id })
  const refused: TestApp['refused'] = (...call) => server.refused(...call)
  const calls: Record<string, (as: CallOptions) => Promise<ApiError>> = {
    'users.create': (as) => refused(api.users.create, { body: newAdmin('toolate') }, as),
    'users.update': (as) => refused(api.users.update, { body: { ...theirs(), firstName: 'Mallory' } }, as),
    'users.remove': (as) => refused(api.users.remove, { body: theirs() }, as),
    'users.changePassword': (as) =>
      refused(api.users.changePassword, { body: { ...theirs(), password: OTHER_PASSWORD } }, as),
    'auth.update': (as) => refused(api.auth.update, { body: { firstName: 'Mallory' } }, as),
    'accessTokens.create': (as) =>
      refused(api.accessTokens.create, { body: { name: 'late', scope: 'all' } }, as),
    'jobs.create': (as) => refused(api.jobs.create, { body: job }, as),
    'credentials.create': (as) => refused(api.credentials.create, { body: credential }, as),
    'clusters.createLocal': (as) => refused(api.clusters.createLocal, { body: { name: 'late', data } }, as),
    'ui.setPreferences': (as) =>
      refused(api.ui.setPreferences, { body: { preferences: { theme: 'dark' } } }, as),
    'settings.setSecurity': (as) =>
      refused(api.settings.setSecurity, { body: { selfRegisteredAccess: 'never' } }, as),
    'auth.endOtherSessions': (as) => refused(api.auth.endOtherSessions, {}, as),
    'auth.logout': (as) => refused(api.auth.logout, {}, as),
  }
  /** Everything that could have been written. */
  const everything = async () => {
    const tables = [
      'users',
      'sessions',
      'access_tokens',
      'jobs',
      'credentials',
      'clusters',
      'site_settings',
    ] as const
    return Promise.all(
      [...tables, 'activities' as const].map((table) =>
        server.db.kysely.selectFrom(table).selectAll().execute(),
      ),
    )
  }

  it.each(Object.entries(calls))('%s', async (_name, call) => {
    const who = await person()
    await server.must(api.ui.settings, {}, { token: who.token })
    // Another server has ended the session, and this one has not been notified yet.
    await server.db.kysely.deleteFrom('sessions').where('user_id', '=', who.id).execute()
    const before = await everything()
    const refusal = await call({ token: who.token, admin: true })
    expect(refusal).toMatchObject({ status: 401, code: 'session_ended' })
    expect(await everything()).toEqual(before)
  })
})
