import { api } from '@flotilla/contract/api'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ATTEMPTS_ANYWHERE_MAX, ATTEMPTS_MAX, ATTEMPTS_WINDOW_MS } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { PASSWORD, testApp, type Answer, type TestApp } from '../../../test/support/app/app'
import { leaks, recordAnswers } from '../../../test/support/app/secrets'
import {
  newName,
  OTHER_PASSWORD,
  payloadOf,
  registration,
  loginCalls,
  tokenOf,
} from '../../../test/support/app/login'
import { soakIt } from '../../../test/support/soak'

let server: TestApp
let answers: Answer[]
let admin: { id: string; token: string }
beforeAll(async () => {
  server = await testApp()
  ;({ answers } = recordAnswers(server))
  admin = await server.person('keeper', ['admin'])
})
afterAll(() => server.close())

const { register, login, works } = loginCalls(() => server)

async function configure(config: Record<string, unknown>, of = server): Promise<void> {
  await mkdir(path.join(of.dataDir, 'assets'), { recursive: true })
  await writeFile(path.join(of.dataDir, 'assets', 'config.json'), JSON.stringify(config))
}

describe('login', () => {
  it('accepts the username in any case and returns a token and the user', async () => {
    const { username } = await server.person(newName(), ['user'])
    const answer = await login(` ${username.toUpperCase()} `)
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ user: { username, role: ['user'], admin: false } })
    expect(payloadOf(tokenOf(answer))).toMatchObject({ username, role: ['user'], licenseType: 'Site' })
    expect(await works(tokenOf(answer))).toBe(200)
  })

  it('returns the same error for a wrong password and an unknown username', async () => {
    const { username } = await server.person(newName(), ['user'])
    const wrong = await login(username, 'not the password')
    expect(wrong.json).toEqual({
      statusCode: 401,
      code: 'wrong_credentials',
      error: 'Unauthorized',
      message: 'Authentication Error',
    })
    expect((await login('nosuchuser', 'not the password')).json).toEqual(wrong.json)
    // Only the right password reveals that an account is not confirmed or has expired.
    const ended = await server.person(newName(), ['user'])
    await server.must(
      api.users.update,
      { body: { id: ended.id, verified: false, endTime: 1 } },
      { token: admin.token, admin: true },
    )
    expect((await login(ended.username, 'not the password')).json).toEqual(wrong.json)
    expect((await login(ended.username)).json).toMatchObject({ statusCode: 403, code: 'account_ended' })
  })

  const from = (address: string, username: string, password = PASSWORD) =>
    server.call('POST', api.auth.login.path, { from: address, body: { username, password } })
  const statuses = (given: { status: number }[], wanted: number) =>
    given.filter(({ status }) => status === wanted).length

  it('counts failures per account and network, and starts over after a success', async () => {
    const [attacked, neighbor] = [
      await server.person(newName(), ['user']),
      await server.person(newName(), ['user']),
    ]
    for (let i = 1; i < ATTEMPTS_MAX; i++) expect((await login(attacked.username, 'wrong')).status).toBe(401)
    expect((await login(attacked.username)).status).toBe(200)

    // All addresses of an IPv6 network count as one source.
    const guesses = await Promise.all(
      Array.from({ length: ATTEMPTS_MAX + 5 }, (_, i) =>
        from(`2001:db8:7:7::${i + 1}`, attacked.username, 'wrong'),
      ),
    )
    expect([statuses(guesses, 401), statuses(guesses, 429)]).toEqual([ATTEMPTS_MAX, 5])
    server.advance(60_000)
    expect((await from('2001:db8:7:7::99', attacked.username)).json).toMatchObject({
      statusCode: 429,
      code: 'too_many_attempts',
      message: 'Too many attempts. Try again in 4 minutes.',
    })
    server.advance(-60_000)
    // The owner can log in from elsewhere, and other users can log in from the guesser's address.
    expect((await login(attacked.username)).status).toBe(200)
    expect((await from('2001:db8:7:7::99', neighbor.username)).status).toBe(200)
    expect(await works(attacked.token)).toBe(200)

    server.advance(ATTEMPTS_WINDOW_MS + 1000)
    expect((await from('2001:db8:7:7::99', attacked.username)).status).toBe(200)
    server.advance(-ATTEMPTS_WINDOW_MS - 1000)
  })

  it('locks an account after guesses from many networks; refused attempts and logins do not count', async () => {
    const { username } = await server.person(newName(), ['user'])
    const guess = (network: number) => from(`10.0.${network}.1`, username, 'wrong')
    for (let i = 0; i < ATTEMPTS_ANYWHERE_MAX + ATTEMPTS_MAX; i++) await guess(0)
    for (let i = 0; i < ATTEMPTS_MAX; i++) expect((await login(username)).status).toBe(200)

    const networks = Array.from({ length: ATTEMPTS_ANYWHERE_MAX }, (_, i) => i + 1)
    const guesses = await Promise.all(networks.map(guess))
    expect([statuses(guesses, 401), statuses(guesses, 429)]).toEqual([
      ATTEMPTS_ANYWHERE_MAX - ATTEMPTS_MAX,
      ATTEMPTS_MAX,
    ])
    expect((await login(username)).json).toMatchObject({
      code: 'too_many_attempts',
      message: expect.stringMatching(/^Too many attempts\. Try again in \d minutes\.$/),
    })
    server.advance(ATTEMPTS_WINDOW_MS + 1000)
    expect((await login(username)).status).toBe(200)
    server.advance(-ATTEMPTS_WINDOW_MS - 1000)
  })

  it('opens no session with a password that is being changed, nor for a user who is being removed', async () => {
    const { id, username, token } = await server.person(newName(), ['user'])
    const during = Promise.all([login(username), login(username), login(username)])
    const change = { currentPassword: PASSWORD, password: OTHER_PASSWORD }
    await server.must(api.users.changePassword, { body: change }, { token })
    for (const answer of await during) {
      if (answer.status === 200) expect(await works(tokenOf(answer))).toBe(401)
      else expect(answer.status).toBe(401)
    }
    const removal = server.must(api.users.remove, { body: { id } }, { token: admin.token })
    for (const { status } of await Promise.all([
      login(username, OTHER_PASSWORD),
      login(username, OTHER_PASSWORD),
    ]))
      expect([200, 401]).toContain(status)
    await removal
    const left = await server.db.kysely
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', id)
      .execute()
    expect(left).toEqual([])
  })
})

describe('registration', () => {
  it('logs the user in with a Site license', async () => {
    const username = newName()
    const answer = await register(registration(username.toUpperCase()))
    expect(answer.status).toBe(201)
    expect(answer.json).toMatchObject({ licenseType: 'Site' })
    expect(await works(tokenOf(answer))).toBe(200)
    expect((await login(username)).status).toBe(200)
  })

  it('gives the role user, whatever else is requested', async () => {
    const username = newName()
    const wish = {
      role: ['admin'],
      admin: true,
      verified: true,
      id: admin.id,
      endTime: 5,
      providers: [],
      authType: 'ldap',
    }
    expect((await register(registration(username, wish))).status).toBe(201)
    expect((await login(username)).json).toMatchObject({
      user: { role: ['user'], admin: false, endTime: null, providers: null, authType: 'local' },
    })
  })

  it('refuses a username or an email address that is taken, in any case', async () => {
    const username = newName()
    await register(registration(username))
    for (const again of [
      registration(username.toUpperCase(), { email: 'free@example.org' }),
      registration(newName(), { email: `${username}@EXAMPLE.org` }),
    ])
      expect((await register(again)).json).toMatchObject({
        statusCode: 406,
        reason: 'duplicateEntry',
      })
  })

  it('creates exactly one account when a username is registered several times at once', async () => {
    const username = newName()
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        register(registration(username, { email: `${username}x${i}@example.org` })),
      ),
    )
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 406, 406, 406, 406, 406])
  })

  soakIt('does not block other requests while a whole class registers at once', async () => {
    const people = Array.from({ length: 60 }, () => register(registration(newName())))
    expect(await works(admin.token)).toBe(200)
    for (const { status } of await Promise.all(people)) expect(status).toBe(201)
  })

  it.each([
    ['username', 'abc', messages.minLength4],
    ['username', '1abcd', messages.usernameCharacters],
    ['username', 'ab_cd', messages.usernameCharacters],
    ['username', 'åbcde', messages.usernameCharacters],
    ['username', 'Admin', messages.usernameRestricted],
    ['username', 'ROOT', messages.usernameRestricted],
    ['firstName', 'A', messages.minLength2],
    ['firstName', 'Ada2', messages.firstNameCharacters],
    ['lastName', 'L', messages.minLength2],
    ['lastName', 'Love-lace', messages.lastNameCharacters],
    ['email', 'nowhere', messages.email],
    ['email', 'a@b', messages.email],
    ['password', 'Sh0rt!', messages.password],
    ['password', 'NOLOWER1!', messages.password],
    ['password', 'noupper1!', messages.password],
    ['password', 'NoDigits!', messages.password],
    ['password', 'NoSpecial1', messages.password],
  ])('refuses %s %s', async (field, value, message) => {
    const answer = await register(registration(newName(), { [field]: value }))
    expect(answer.json).toMatchObject({ statusCode: 400, code: 'bad_input', fields: { [field]: message } })
  })

  it('can be turned off', async () => {
    await configure({ register: false })
    expect((await register(registration(newName()))).json).toMatchObject({
      statusCode: 403,
      code: 'registration_off',
    })
    await configure({})
  })
})

it('keeps secrets out of the log and the replies', () => {
  expect(leaks(server, answers, [OTHER_PASSWORD])).toEqual([])
})
