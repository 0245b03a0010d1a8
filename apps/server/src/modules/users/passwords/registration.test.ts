import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ATTEMPTS_MAX, CODE_ATTEMPTS, CODE_LIFE_MS, MAILS_MAX } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { PASSWORD, type Answer, type TestApp } from '../../../../test/support/app/app'
import { licensedApp } from '../../../../test/support/app/licensed-app'
import { leaks, recordAnswers, secretIn } from '../../../../test/support/app/secrets'
import { newName, payloadOf, registration, tokenOf } from '../../../../test/support/app/login'

let server: TestApp
let license: (licenseType: string) => Promise<void>
let close: () => Promise<void>
let answers: Answer[]
beforeAll(async () => {
  ;({ server, license, close } = await licensedApp('Multi-User'))
  ;({ answers } = recordAnswers(server))
})
afterAll(() => close())

describe('registration with other license types', () => {
  const register = async () => {
    const username = newName()
    return { username, answer: await server.must(api.auth.register, { body: registration(username) }) }
  }
  const resend = (username: string) => server.answer(api.auth.resendCode, { body: { username } })
  const mailedCode = () => secretIn(server.mails.at(-1) ?? { text: '' })
  const verify = (username: string, code: string) =>
    server.answer(api.auth.verify, { body: { username, code } })
  const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
  const enter = (username: string) =>
    server.answer(api.auth.login, { body: { username, password: PASSWORD } })

  it('does not log in, but the account works at once if codes are not required', async () => {
    await license('Enterprise')
    const { username, answer } = await register()
    expect(answer).toMatchObject({ token: null, licenseType: 'Enterprise' })
    expect(server.mails).toEqual([])
    const entered = await enter(username)
    expect(entered.status).toBe(200)
    expect(payloadOf(tokenOf(entered))).toMatchObject({ licenseType: 'Enterprise' })
    await license('Multi-User')
  })

  it('emails a code with Multi-User, and the user can log in once it is confirmed', async () => {
    const { username, answer } = await register()
    expect(answer).toMatchObject({ token: null, licenseType: 'Multi-User' })
    expect(server.mails.at(-1)?.to).toBe(`${username}@example.org`)
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
    // A code works only once.
    expect((await verify(username, code)).status).toBe(400)
  })

  it('invalidates a code after a few wrong ones, even if they are sent concurrently', async () => {
    const { username } = await register()
    const code = mailedCode()
    const tries = await Promise.all(
      Array.from({ length: CODE_ATTEMPTS }, () => verify(username, wrong(code))),
    )
    for (const { status } of tries) expect(status).toBe(400)
    expect((await verify(username, code)).json).toMatchObject({ statusCode: 400, code: 'bad_code' })

    expect((await resend(username)).status).toBe(200)
    expect(mailedCode()).toMatch(/^\d{6}$/)
    expect((await verify(username, mailedCode())).status).toBe(200)
  })

  it('limits guesses per account, regardless of how many codes are requested', async () => {
    const { username } = await register()
    const statuses: number[] = []
    for (let i = 0; i < ATTEMPTS_MAX + 1; i++) {
      if (i % CODE_ATTEMPTS === CODE_ATTEMPTS - 1) await resend(username)
      statuses.push((await verify(username, wrong(mailedCode()))).status)
    }
    expect(statuses.slice(0, ATTEMPTS_MAX)).toEqual(Array.from({ length: ATTEMPTS_MAX }, () => 400))
    expect(statuses.at(-1)).toBe(429)
  })

  it('replaces the old code with a new one, and codes expire', async () => {
    const { username } = await register()
    const old = mailedCode()
    await resend(username)
    if (mailedCode() !== old) expect((await verify(username, old)).status).toBe(400)
    server.advance(CODE_LIFE_MS + 1000)
    expect((await verify(username, mailedCode())).json).toMatchObject({ statusCode: 400, code: 'bad_code' })
    server.advance(-CODE_LIFE_MS - 1000)
  })

  it('does not accept the code of another user', async () => {
    const first = await register()
    const code = mailedCode()
    const second = await register()
    if (mailedCode() !== code) expect((await verify(second.username, code)).status).toBe(400)
    expect((await verify(first.username, code)).status).toBe(200)
  })

  it('does not reveal by resending whether an account exists, and limits the emails', async () => {
    const { username } = await register()
    const before = server.mails.length
    const known = await resend(username)
    expect((await resend('nosuchuser')).json).toEqual(known.json)
    for (let i = 1; i < MAILS_MAX; i++) await resend(username)
    expect((await resend(username)).status).toBe(429)
    expect(server.mails.length - before).toBe(MAILS_MAX)
  })

  const move = (as: string, email: string) => server.must(api.auth.update, { body: { email } }, { token: as })

  it('Multi-User requires a code again when a user changes their address', async () => {
    const { id, username, token } = await server.person(newName(), ['user'])
    const { secret } = await server.must(
      api.accessTokens.create,
      { body: { name: 'nightly', scope: 'read' } },
      { token },
    )
    const allowed = async (as: string) => (await server.answer(api.ui.settings, {}, { token: as })).status
    // The same address in another case is not a change.
    expect(await move(token, `${username}@EXAMPLE.org`)).toMatchObject({ verified: true })
    expect(await allowed(token)).toBe(200)

    const before = server.mails.length
    expect(await move(token, `${username}@elsewhere.org`)).toMatchObject({
      email: `${username}@elsewhere.org`,
      verified: false,
    })
    expect(server.mails.slice(before).map(({ to }) => to)).toEqual([
      `${username}@example.org`,
      `${username}@elsewhere.org`,
    ])
    expect([await allowed(token), await allowed(secret)]).toEqual([401, 401])
    expect((await enter(username)).json).toMatchObject({ statusCode: 403, code: 'not_verified' })
    expect((await verify(username, mailedCode())).status).toBe(200)
    const again = await enter(username)
    expect(again.status).toBe(200)
    expect([await allowed(token), await allowed(secret)]).toEqual([401, 200])

    // The other endpoint does the same.
    const put = await server.must(
      api.users.update,
      { body: { id, email: `${username}@third.org` } },
      { token: tokenOf(again) },
    )
    expect(put).toMatchObject({ verified: false })
  })

  it('admins confirm addresses, including their own, and other licenses require no code', async () => {
    const chief = await server.person(newName(), ['admin'])
    const ada = await server.person(newName(), ['user'])
    expect(await move(chief.token, `${chief.username}@elsewhere.org`)).toMatchObject({
      verified: true,
    })
    const moved = await server.must(
      api.users.update,
      { body: { id: ada.id, email: `${ada.username}@elsewhere.org` } },
      { token: chief.token, admin: true },
    )
    expect(moved).toMatchObject({ verified: true })
    await license('Enterprise')
    expect(await move(ada.token, `${ada.username}@third.org`)).toMatchObject({ verified: true })
    await license('Multi-User')
  })

  it('no codes appear in the log or the responses', () => {
    expect(leaks(server, answers)).toEqual([])
  })
})
