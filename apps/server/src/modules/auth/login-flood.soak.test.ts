import { api } from '@flotilla/contract/api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  KNOWN_NETWORK_MS,
  MAILS_WINDOW_MS,
  WRONG_LOGINS_PER_NETWORK_MAX,
  WRONG_LOGINS_WINDOW_MS,
} from '@flotilla/contract/limits'
import { bucketOf } from '../attempts/attempts'
import { PASSWORD, testApp, type TestApp } from '../../../test/support/app/app'

const WRONG = 'not the password'
/** More logins than the server checks at the same time. */
const AT_ONCE = 10
const HOME = '198.51.100.7'

let server: TestApp
beforeEach(async () => {
  server = await testApp()
})
afterEach(() => server.close())

const many = (count: number) => Array.from({ length: count }, (_, index) => index)
const post = async (url: string, from: string, body: object) => {
  const answer = await server.call('POST', url, { from, body })
  return { ...answer, retryAfter: Number(answer.headers['retry-after']) }
}
const login = (from: string, username: string, password = PASSWORD) =>
  post(api.auth.login.path, from, { username, password })
const people = async (count: number) => {
  const names = many(count).map((index) => `student${index}`)
  for (const name of names) await server.person(name, ['user'])
  return names
}
const attempts = async () =>
  (await server.db.kysely.selectFrom('attempts').select('key').execute()).map(({ key }) => key)

it('a class of 300 can log in at once from one address', async () => {
  const names = await people(300)
  const answers = await Promise.all(names.map((name) => login(HOME, name)))
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
})

it('1,000 wrong logins with random usernames from one network delay no one else', async () => {
  server.stopClock()
  const [stranger = '', regular = ''] = await people(2)
  // The addresses of one household: using another one does not reset the count of wrong logins.
  const flooder = (index: number) => `2001:db8:5:5::${(index + 1).toString(16)}`
  expect((await login(flooder(0), regular)).status).toBe(200)
  let checked = 0
  const wrong = many(1000).map(async (index) => {
    const answer = await login(flooder(index), `guess${index}`, WRONG)
    if (answer.status === 401) checked++
    return answer
  })
  // This request is answered once all of them have been read and queued, which takes a while on a busy machine.
  await server.must(api.health.view, {})
  const before = checked
  expect((await login(HOME, stranger)).status).toBe(200)
  expect((await login(flooder(0), regular)).status).toBe(200)
  // Without fair queuing, all of them would have been checked first.
  expect(checked - before).toBeLessThan(WRONG_LOGINS_PER_NETWORK_MAX / 2)

  const refused = (await Promise.all(wrong)).filter(({ status }) => status !== 401)
  expect(refused.filter(({ status, retryAfter }) => status !== 429 || !(retryAfter > 0))).toEqual([])
  expect(checked).toBeGreaterThanOrEqual(WRONG_LOGINS_PER_NETWORK_MAX)
  // Checks that were in progress when the limit was reached still finish.
  expect(checked).toBeLessThanOrEqual(WRONG_LOGINS_PER_NETWORK_MAX + AT_ONCE)

  // The network must wait, except for users who have logged in from it before.
  expect(await login('2001:db8:5:5:ffff::1', stranger)).toMatchObject({
    status: 429,
    json: {
      code: 'too_many_attempts',
      message: expect.stringMatching(/from your network\. Try again in \d+ second/),
    },
  })
  expect((await login('2001:db8:5:6::1', stranger)).status).toBe(200)
  expect((await login(flooder(0), regular)).status).toBe(200)

  // Refused logins are not counted one by one, and no usernames are stored.
  const keys = await attempts()
  expect(keys.length).toBeLessThanOrEqual(2 * (WRONG_LOGINS_PER_NETWORK_MAX + AT_ONCE))
  expect(keys.join('\n')).not.toContain('guess')
  server.advance(WRONG_LOGINS_WINDOW_MS)
  expect((await login('2001:db8:5:5:ffff::1', stranger)).status).toBe(200)
  server.advance(MAILS_WINDOW_MS)
  await server.app.sweep()
  expect(await attempts()).toEqual([])
})

it('requests with random usernames are counted in a bounded number of rows, without the usernames', async () => {
  for (const index of many(30)) {
    await post(api.auth.verify.path, HOME, { username: `guess${index}`, code: '123456' })
    await post(api.auth.resendCode.path, HOME, { username: `guess${index}` })
    await post(api.users.recoverPassword.path, HOME, { username: `guess${index}` })
  }
  const keys = await attempts()
  expect(keys).toHaveLength(90)
  for (const key of keys) expect(key).toMatch(/^(verify|resend|recover) [0-9a-f]{5}$/)
  expect(bucketOf('guess1')).not.toBe(bucketOf('guess2'))
})

it("a user's known network is forgotten after a month without a login from it", async () => {
  const [name = ''] = await people(1)
  await login(HOME, name)
  const networks = () => server.db.kysely.selectFrom('login_networks').select('network').execute()
  await server.app.sweep()
  expect(await networks()).toEqual([{ network: HOME }])
  server.advance(KNOWN_NETWORK_MS + 1000)
  await server.app.sweep()
  expect(await networks()).toEqual([])
})
