import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, testApp, type Answer, type TestApp } from '../../test/support/app/app'
import { holdTransactions } from '../../test/support/database/held-transactions'
import { OTHER_PASSWORD } from '../../test/support/app/sign-in'

/* What takes a right away and what is done with it exclude each other: one comes before the other, whichever was first. */

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

const scope = { admin: 'true' }
const createUser = (as: string, username: string) =>
  server.call('POST', '/api/users/', { as, body: newPerson(username, ['admin']) })
const usernames = async () =>
  (await server.db.kysely.selectFrom('users').select('username').execute()).map(({ username }) => username)

/** Whatever takes rights away from a person, as another admin does it. */
const losses: Record<string, (who: Person) => Promise<Answer>> = {
  removal: ({ id }) => server.call('PUT', '/api/users/remove', { as: admin.token, body: { id } }),
  'a lost role': ({ id }) =>
    server.call('PUT', '/api/users/', { as: admin.token, body: { id, role: ['user'] }, headers: scope }),
  'the end of the account': ({ id }) =>
    server.call('PUT', '/api/users/', { as: admin.token, body: { id, endTime: 1 }, headers: scope }),
  'a new password': ({ id }) =>
    server.call('PUT', '/api/users/changePassword', {
      as: admin.token,
      body: { id, password: OTHER_PASSWORD },
      headers: scope,
    }),
  'being signed out': ({ id }) => server.call('POST', `/api/users/${id}/sign-out`, { as: admin.token }),
  'logging out': ({ token }) => server.call('POST', '/api/auth/logout', { as: token }),
}

describe.each(Object.keys(losses))('%s', (loss) => {
  const lose = (who: Person) => losses[loss]?.(who) ?? Promise.reject(new Error('no such loss'))

  it('that was first leaves nothing of what was decided before it', async () => {
    const who = await person()
    const name = `late${++made}`
    const held = await holdTransactions(server.db.url)
    const lost = lose(who)
    await held.waiting(1)
    const late = createUser(who.token, name)
    // Sessions end before anything else of a removed person does, so that it is refused without a wait.
    if (loss !== 'removal') await held.waiting(2)
    await held.release()
    expect((await lost).status).toBe(200)
    expect((await late).status).toBe(loss === 'a lost role' ? 403 : 401)
    expect(await usernames()).not.toContain(name)
  })

  it('waits for what began before it', async () => {
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
    const signOut = (by: Person, id: string) =>
      server.call('POST', `/api/users/${id}/sign-out`, { as: by.token })
    const held = await holdTransactions(server.db.url)
    const both = [signOut(one, two.id), signOut(two, one.id)]
    await held.waiting(2)
    await held.release()
    const statuses = (await Promise.all(both)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401])
  }
})

it('one person’s calls do not wait for each other', async () => {
  const who = await person()
  const held = await holdTransactions(server.db.url)
  const calls = ['first', 'second', 'third'].map((name) => createUser(who.token, `${name}of${who.username}`))
  await held.waiting(3)
  await held.release()
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([201, 201, 201])
  const look = (theme: string) =>
    server.call('PUT', '/api/ui/settings', { as: who.token, body: { preferences: { theme } } })
  const changes = Array.from({ length: 12 }, (_, i) => look(i % 2 ? 'dark' : 'light'))
  for (const { status } of await Promise.all(changes)) expect(status).toBe(200)
})

describe('a session that another server has just ended writes nothing', () => {
  const job = { name: 'late', data: { script: 'true' } }
  const credentials = { name: 'late', provider: 'aws', data: { access_key: 'a', secret_key: 'b' } }
  const cluster = { name: 'late', data: { manager: 'none', transport: 'local', virtualNodes: {} } }
  const calls: [string, string, (who: Person) => object][] = [
    ['POST', '/api/users/', () => newPerson('toolate', ['admin'])],
    ['PUT', '/api/users/', () => ({ id: admin.id, firstName: 'Mallory' })],
    ['PUT', '/api/users/remove', () => ({ id: admin.id })],
    ['PUT', '/api/users/changePassword', () => ({ id: admin.id, password: OTHER_PASSWORD })],
    ['PUT', '/api/auth/update', () => ({ user: { firstName: 'Mallory' } })],
    ['POST', '/api/access-tokens', () => ({ name: 'late', scope: 'all' })],
    ['POST', '/api/jobs/', () => ({ job })],
    ['POST', '/api/credentials/', () => ({ credentials })],
    ['POST', '/api/clusters/local', () => ({ cluster })],
    ['PUT', '/api/ui/settings', () => ({ preferences: { theme: 'dark' } })],
    ['PUT', '/api/settings/security', () => ({ selfRegisteredAccess: 'never' })],
    ['POST', '/api/auth/sessions/end-others', () => ({})],
    ['POST', '/api/auth/logout', () => ({})],
  ]
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

  it.each(calls)('%s %s', async (method, url, bodyOf) => {
    const who = await person()
    await server.call('GET', '/api/ui/settings', { as: who.token })
    // As another server does it, before this one hears of it.
    await server.db.kysely.deleteFrom('sessions').where('user_id', '=', who.id).execute()
    const before = await everything()
    const answer = await server.call(method, url, { as: who.token, body: bodyOf(who), headers: scope })
    expect(answer.json).toMatchObject({ statusCode: 401, code: 'session_ended' })
    expect(await everything()).toEqual(before)
  })
})
