import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ATTEMPTS_MAX,
  CODE_ATTEMPTS,
  CODE_LIFE_MS,
  INVITATION_LIFE_MS,
  MAILS_MAX,
  MAILS_WINDOW_MS,
  RESET_LIFE_MS,
} from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { makeKeyPair, signLicense } from '../../license/file'
import { PASSWORD, testApp, type Answer, type TestApp } from '../../../../test/support/app'
import { leaks, recordAnswers, secretIn } from '../../../../test/support/secrets'
import {
  newName,
  OTHER_PASSWORD,
  payloadOf,
  registration,
  signIn,
  tokenOf,
} from '../../../../test/support/sign-in'

const keys = makeKeyPair()

let server: TestApp
let licenseFile: string
let answers: Answer[]
let admin: { id: string; token: string }
beforeAll(async () => {
  server = await testApp()
  ;({ answers } = recordAnswers(server))
  admin = await server.person('keeper', ['admin'])
})
afterAll(() => server.close())

const { post, login, works } = signIn(() => server)
const lastSecret = () => secretIn(server.mails.at(-1) ?? { text: '' })

describe('registration under other licenses', () => {
  let licensed: TestApp
  let heard: Answer[]
  const install = (licenseType: string) =>
    writeFile(
      licenseFile,
      signLicense({ licenseType, issuedTo: 'Test', validFrom: 0, validUntil: 4e12 }, keys.privateKey),
    )
  const send = (url: string, body: unknown) => licensed.call('POST', url, { body })
  const register = async () => {
    const username = newName()
    return { username, answer: await send('/api/auth/register', registration(username)) }
  }
  const mailedCode = () => secretIn(licensed.mails.at(-1) ?? { text: '' })
  const verify = (username: string, code: string) => send('/api/auth/verify', { username, code })
  const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
  const enter = (username: string) => send('/api/auth/login', { username, password: PASSWORD })

  beforeAll(async () => {
    const publicKeyFile = path.join(server.dataDir, 'license.pub')
    licenseFile = path.join(server.dataDir, 'license.json')
    await writeFile(publicKeyFile, keys.publicKey)
    licensed = await testApp({ LICENSE_FILE: licenseFile, LICENSE_PUBLIC_KEY_FILE: publicKeyFile })
    heard = recordAnswers(licensed).answers
    await install('Multi-User')
  })
  afterAll(() => licensed.close())

  it('another type gives no token, and the account works at once', async () => {
    await install('Enterprise')
    const { username, answer } = await register()
    expect(answer).toMatchObject({ status: 201, json: { token: null, licenseType: 'Enterprise' } })
    expect(licensed.mails).toEqual([])
    const entered = await enter(username)
    expect(entered.status).toBe(200)
    expect(payloadOf(tokenOf(entered))).toMatchObject({ licenseType: 'Enterprise' })
    await install('Multi-User')
  })

  it('Multi-User mails a code, which lets the person in once it is confirmed', async () => {
    const { username, answer } = await register()
    expect(answer).toMatchObject({ status: 201, json: { token: null, licenseType: 'Multi-User' } })
    expect(licensed.mails.at(-1)?.to).toBe(`${username}@example.org`)
    expect((await enter(username)).json).toMatchObject({ statusCode: 403, code: 'not_verified' })
    const code = mailedCode()
    expect((await verify(username, wrong(code))).json).toMatchObject({
      statusCode: 400,
      message: messages.invalidCode,
    })
    expect(await verify(username.toUpperCase(), code)).toMatchObject({
      status: 200,
      json: { verified: true },
    })
    expect((await enter(username)).status).toBe(200)
    // It worked once.
    expect((await verify(username, code)).status).toBe(400)
  })

  it('a code is gone after a few wrong ones, also when they come at once', async () => {
    const { username } = await register()
    const code = mailedCode()
    const tries = await Promise.all(
      Array.from({ length: CODE_ATTEMPTS }, () => verify(username, wrong(code))),
    )
    for (const { status } of tries) expect(status).toBe(400)
    expect((await verify(username, code)).json).toMatchObject({ statusCode: 400, code: 'bad_code' })

    expect((await send('/api/auth/verify/resend', { username })).status).toBe(200)
    expect(mailedCode()).toMatch(/^\d{6}$/)
    expect((await verify(username, mailedCode())).status).toBe(200)
  })

  it('guessing ends with the attempts of the account, however many codes are requested', async () => {
    const { username } = await register()
    const statuses: number[] = []
    for (let i = 0; i < ATTEMPTS_MAX + 1; i++) {
      if (i % CODE_ATTEMPTS === CODE_ATTEMPTS - 1) await send('/api/auth/verify/resend', { username })
      statuses.push((await verify(username, wrong(mailedCode()))).status)
    }
    expect(statuses.slice(0, ATTEMPTS_MAX)).toEqual(Array.from({ length: ATTEMPTS_MAX }, () => 400))
    expect(statuses.at(-1)).toBe(429)
  })

  it('a new code takes the place of the old one, and a code expires', async () => {
    const { username } = await register()
    const old = mailedCode()
    await send('/api/auth/verify/resend', { username })
    if (mailedCode() !== old) expect((await verify(username, old)).status).toBe(400)
    licensed.advance(CODE_LIFE_MS + 1000)
    expect((await verify(username, mailedCode())).json).toMatchObject({ statusCode: 400, code: 'bad_code' })
    licensed.advance(-CODE_LIFE_MS - 1000)
  })

  it("one person's code is of no use for another", async () => {
    const first = await register()
    const code = mailedCode()
    const second = await register()
    if (mailedCode() !== code) expect((await verify(second.username, code)).status).toBe(400)
    expect((await verify(first.username, code)).status).toBe(200)
  })

  it('resending tells no one whether there is such an account, and mails only so often', async () => {
    const { username } = await register()
    const before = licensed.mails.length
    const known = await send('/api/auth/verify/resend', { username })
    expect((await send('/api/auth/verify/resend', { username: 'nobodyatall' })).json).toEqual(known.json)
    for (let i = 1; i < MAILS_MAX; i++) await send('/api/auth/verify/resend', { username })
    expect((await send('/api/auth/verify/resend', { username })).status).toBe(429)
    expect(licensed.mails.length - before).toBe(MAILS_MAX)
  })

  const move = (as: string, email: string) =>
    licensed.call('PUT', '/api/auth/update', { as, body: { user: { email } } })

  it('Multi-User asks for a code again when someone moves to another address', async () => {
    const { id, username, token } = await licensed.person(newName(), ['user'])
    const made = await licensed.call('POST', '/api/access-tokens', {
      as: token,
      body: { name: 'nightly', scope: 'read' },
    })
    const { secret } = made.json as { secret: string }
    const allowed = async (as: string) => (await licensed.call('GET', '/api/ui/settings', { as })).status
    // The same address is no move.
    expect((await move(token, `${username}@EXAMPLE.org`)).json).toMatchObject({ verified: true })
    expect(await allowed(token)).toBe(200)

    const before = licensed.mails.length
    expect(await move(token, `${username}@elsewhere.org`)).toMatchObject({
      status: 200,
      json: { email: `${username}@elsewhere.org`, verified: false },
    })
    expect(licensed.mails.slice(before).map(({ to }) => to)).toEqual([
      `${username}@example.org`,
      `${username}@elsewhere.org`,
    ])
    expect([await allowed(token), await allowed(secret)]).toEqual([401, 401])
    expect((await enter(username)).json).toMatchObject({ statusCode: 403, code: 'not_verified' })
    expect((await verify(username, mailedCode())).status).toBe(200)
    const again = await enter(username)
    expect(again.status).toBe(200)
    expect([await allowed(token), await allowed(secret)]).toEqual([401, 200])

    // The same by the other call.
    const put = await licensed.call('PUT', '/api/users/', {
      as: tokenOf(again),
      body: { id, email: `${username}@third.org` },
    })
    expect(put.json).toMatchObject({ verified: false })
  })

  it('an admin confirms addresses, their own too; and other licenses ask for no code', async () => {
    const chief = await licensed.person(newName(), ['admin'])
    const ada = await licensed.person(newName(), ['user'])
    expect((await move(chief.token, `${chief.username}@elsewhere.org`)).json).toMatchObject({
      verified: true,
    })
    const moved = await licensed.call('PUT', '/api/users/', {
      as: chief.token,
      body: { id: ada.id, email: `${ada.username}@elsewhere.org` },
      headers: { admin: 'true' },
    })
    expect(moved.json).toMatchObject({ verified: true })
    await install('Enterprise')
    expect((await move(ada.token, `${ada.username}@third.org`)).json).toMatchObject({ verified: true })
    await install('Multi-User')
  })

  it('keeps codes out of the log and the answers', () => {
    expect(leaks(licensed, heard)).toEqual([])
  })
})

describe('password recovery', () => {
  const recover = (username: string) => post('/api/users/recoverPassword', { username })

  it('mails a link that sets the password once and ends every session', async () => {
    const { username, token } = await server.person(newName(), ['user'])
    const asked = await recover(username.toUpperCase())
    expect(asked).toMatchObject({ status: 200, json: { message: messages.recoveryEmailSent } })
    expect((await recover('nobodyatall')).json).toEqual(asked.json)
    const secret = lastSecret()
    expect((await post('/api/users/verifyResetToken', { token: secret })).json).toEqual({ username })
    expect((await post('/api/users/resetPassword', { token: secret, password: 'weak' })).status).toBe(400)

    const both = await Promise.all(
      [OTHER_PASSWORD, `${OTHER_PASSWORD}2`].map((password) =>
        post('/api/users/resetPassword', { token: secret, password }),
      ),
    )
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    const chosen = both[0]?.status === 200 ? OTHER_PASSWORD : `${OTHER_PASSWORD}2`
    expect(await works(token)).toBe(401)
    expect((await login(username)).status).toBe(401)
    expect((await login(username, chosen)).status).toBe(200)
    expect((await post('/api/users/verifyResetToken', { token: secret })).json).toMatchObject({
      statusCode: 400,
      code: 'bad_reset_token',
    })
  })

  it('a link expires, and only the last one mailed works', async () => {
    const { username } = await server.person(newName(), ['user'])
    await recover(username)
    const first = lastSecret()
    await recover(username)
    expect((await post('/api/users/verifyResetToken', { token: first })).status).toBe(400)
    server.advance(RESET_LIFE_MS + 1000)
    expect(
      (await post('/api/users/resetPassword', { token: lastSecret(), password: OTHER_PASSWORD })).status,
    ).toBe(400)
    server.advance(-RESET_LIFE_MS - 1000)
    expect((await login(username)).status).toBe(200)
  })

  it('a link that is on its way is worthless once the password or the address has changed', async () => {
    const { username, token } = await server.person(newName(), ['user'])
    await recover(username)
    const first = lastSecret()
    const moved = await server.call('PUT', '/api/auth/update', {
      as: token,
      body: { user: { email: `${username}@elsewhere.org` } },
    })
    expect(moved.status).toBe(200)
    expect((await post('/api/users/resetPassword', { token: first, password: OTHER_PASSWORD })).status).toBe(
      400,
    )
    await recover(username)
    expect(server.mails.at(-1)?.to).toBe(`${username}@elsewhere.org`)
    const second = lastSecret()
    await server.call('PUT', '/api/users/changePassword', {
      as: token,
      body: { currentPassword: PASSWORD, password: OTHER_PASSWORD },
    })
    expect((await post('/api/users/resetPassword', { token: second, password: PASSWORD })).status).toBe(400)
    expect((await login(username, OTHER_PASSWORD)).status).toBe(200)
  })

  it('mails one person only so often', async () => {
    const { username } = await server.person(newName(), ['user'])
    const before = server.mails.length
    for (let i = 0; i < MAILS_MAX; i++) expect((await recover(username)).status).toBe(200)
    expect((await recover(username)).status).toBe(429)
    expect(server.mails.length - before).toBe(MAILS_MAX)
    server.advance(MAILS_WINDOW_MS + 1000)
    expect((await recover(username)).status).toBe(200)
    server.advance(-MAILS_WINDOW_MS - 1000)
  })
})

describe('an invitation', () => {
  const invited = async () => {
    const { id, username } = await server.person(newName(), ['user'])
    await server.call('PUT', '/api/users/', {
      as: admin.token,
      body: { id, verified: false },
      headers: { admin: 'true' },
    })
    return { id, username, key: await invite(id) }
  }
  const invite = async (id: string) =>
    ((await post(`/api/users/${id}/invitation`, undefined, admin.token)).json as { userKey: string }).userKey
  const greeting = (userKey: string) => post('/api/auth/invitation', { userKey })

  it('greets the person and confirms the account at its first use', async () => {
    const { username, key } = await invited()
    expect((await greeting(key)).json).toEqual({ username, firstName: 'Ada' })
    expect((await login(username)).json).toMatchObject({ code: 'not_verified' })
    expect((await login(username, 'wrong password', { userKey: key })).status).toBe(401)
    expect((await login(username, PASSWORD, { userKey: key })).json).toMatchObject({
      user: { verified: true },
    })
    expect((await greeting(key)).json).toMatchObject({ statusCode: 400, code: 'bad_invitation' })
    // A bookmark of the link keeps working as a plain login.
    expect((await login(username, PASSWORD, { userKey: key })).status).toBe(200)
  })

  it('does nothing for someone else and is not used up by them', async () => {
    const [mine, theirs] = [await invited(), await invited()]
    expect((await login(mine.username, PASSWORD, { userKey: theirs.key })).json).toMatchObject({
      code: 'not_verified',
    })
    const verified = await server.person(newName(), ['user'])
    expect((await login(verified.username, PASSWORD, { userKey: theirs.key })).status).toBe(200)
    expect((await greeting(theirs.key)).status).toBe(200)
    expect((await login(theirs.username, PASSWORD, { userKey: theirs.key })).status).toBe(200)
  })

  it('expires, and is no recovery link', async () => {
    const { username, key } = await invited()
    expect((await post('/api/users/resetPassword', { token: key, password: OTHER_PASSWORD })).status).toBe(
      400,
    )
    server.advance(INVITATION_LIFE_MS + 1000)
    expect((await greeting(key)).status).toBe(400)
    expect((await login(username, PASSWORD, { userKey: key })).json).toMatchObject({ code: 'not_verified' })
    server.advance(-INVITATION_LIFE_MS - 1000)
  })
})

it('keeps secrets out of the log and the answers', () => {
  expect(leaks(server, answers, [OTHER_PASSWORD])).toEqual([])
})
