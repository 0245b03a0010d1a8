import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INVITATION_LIFE_MS, MAILS_MAX, MAILS_WINDOW_MS, RESET_LIFE_MS } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { PASSWORD, testApp, type Answer, type TestApp } from '../../../../test/support/app/app'
import { leaks, recordAnswers, secretIn } from '../../../../test/support/app/secrets'
import { newName, OTHER_PASSWORD, loginCalls } from '../../../../test/support/app/login'

let server: TestApp
let answers: Answer[]
let admin: { id: string; token: string }
beforeAll(async () => {
  server = await testApp()
  ;({ answers } = recordAnswers(server))
  admin = await server.person('keeper', ['admin'])
})
afterAll(() => server.close())

const { login, works } = loginCalls(() => server)
const lastSecret = () => secretIn(server.mails.at(-1) ?? { text: '' })

describe('password recovery', () => {
  const recover = (username: string) => server.answer(api.users.recoverPassword, { body: { username } })

  it('emails a link that sets the password once and ends every session', async () => {
    const { username, token } = await server.person(newName(), ['user'])
    const known = await recover(username.toUpperCase())
    expect(known).toMatchObject({ status: 200, json: { message: messages.recoveryEmailSent } })
    expect((await recover('nosuchuser')).json).toEqual(known.json)
    const secret = lastSecret()
    expect((await server.answer(api.users.verifyResetToken, { body: { token: secret } })).json).toEqual({
      username,
    })
    expect(
      (await server.answer(api.users.resetPassword, { body: { token: secret, password: 'weak' } })).status,
    ).toBe(400)

    const both = await Promise.all(
      [OTHER_PASSWORD, `${OTHER_PASSWORD}2`].map((password) =>
        server.answer(api.users.resetPassword, { body: { token: secret, password } }),
      ),
    )
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    const chosen = both[0]?.status === 200 ? OTHER_PASSWORD : `${OTHER_PASSWORD}2`
    expect(await works(token)).toBe(401)
    expect((await login(username)).status).toBe(401)
    expect((await login(username, chosen)).status).toBe(200)
    expect((await server.answer(api.users.verifyResetToken, { body: { token: secret } })).json).toMatchObject(
      {
        statusCode: 400,
        code: 'bad_reset_token',
      },
    )
  })

  it('accepts a link until it expires, and only the last one', async () => {
    const { username } = await server.person(newName(), ['user'])
    await recover(username)
    const first = lastSecret()
    await recover(username)
    expect((await server.answer(api.users.verifyResetToken, { body: { token: first } })).status).toBe(400)
    server.advance(RESET_LIFE_MS + 1000)
    expect(
      (
        await server.answer(api.users.resetPassword, {
          body: { token: lastSecret(), password: OTHER_PASSWORD },
        })
      ).status,
    ).toBe(400)
    server.advance(-RESET_LIFE_MS - 1000)
    expect((await login(username)).status).toBe(200)
  })

  it('invalidates a pending link when the password or the address changes', async () => {
    const { username, token } = await server.person(newName(), ['user'])
    await recover(username)
    const first = lastSecret()
    await server.must(api.auth.update, { body: { email: `${username}@elsewhere.org` } }, { token })
    expect(
      (await server.answer(api.users.resetPassword, { body: { token: first, password: OTHER_PASSWORD } }))
        .status,
    ).toBe(400)
    await recover(username)
    expect(server.mails.at(-1)?.to).toBe(`${username}@elsewhere.org`)
    const second = lastSecret()
    await server.must(
      api.users.changePassword,
      { body: { currentPassword: PASSWORD, password: OTHER_PASSWORD } },
      { token },
    )
    expect(
      (await server.answer(api.users.resetPassword, { body: { token: second, password: PASSWORD } })).status,
    ).toBe(400)
    expect((await login(username, OTHER_PASSWORD)).status).toBe(200)
  })

  it('limits the number of emails to a user', async () => {
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
    await server.must(
      api.users.update,
      { body: { id, verified: false } },
      { token: admin.token, admin: true },
    )
    return { id, username, key: await invite(id) }
  }
  const invite = async (id: string) =>
    (await server.must(api.users.invite, { id }, { token: admin.token })).userKey
  const greeting = (userKey: string) => server.answer(api.auth.invitation, { body: { userKey } })

  it('greets the user and verifies the account when it is first used', async () => {
    const { username, key } = await invited()
    expect((await greeting(key)).json).toEqual({ username, firstName: 'Ada' })
    expect((await login(username)).json).toMatchObject({ code: 'not_verified' })
    expect((await login(username, 'wrong password', { userKey: key })).status).toBe(401)
    expect((await login(username, PASSWORD, { userKey: key })).json).toMatchObject({
      user: { verified: true },
    })
    expect((await greeting(key)).json).toMatchObject({ statusCode: 400, code: 'bad_invitation' })
    // A bookmarked link still works as a plain login.
    expect((await login(username, PASSWORD, { userKey: key })).status).toBe(200)
  })

  it('has no effect for other users and remains valid after they try it', async () => {
    const [mine, theirs] = [await invited(), await invited()]
    expect((await login(mine.username, PASSWORD, { userKey: theirs.key })).json).toMatchObject({
      code: 'not_verified',
    })
    const verified = await server.person(newName(), ['user'])
    expect((await login(verified.username, PASSWORD, { userKey: theirs.key })).status).toBe(200)
    expect((await greeting(theirs.key)).status).toBe(200)
    expect((await login(theirs.username, PASSWORD, { userKey: theirs.key })).status).toBe(200)
  })

  it('expires and does not work as a recovery link', async () => {
    const { username, key } = await invited()
    expect(
      (await server.answer(api.users.resetPassword, { body: { token: key, password: OTHER_PASSWORD } }))
        .status,
    ).toBe(400)
    server.advance(INVITATION_LIFE_MS + 1000)
    expect((await greeting(key)).status).toBe(400)
    expect((await login(username, PASSWORD, { userKey: key })).json).toMatchObject({ code: 'not_verified' })
    server.advance(-INVITATION_LIFE_MS - 1000)
  })
})

it('no secrets appear in the log or the responses', () => {
  expect(leaks(server, answers, [OTHER_PASSWORD])).toEqual([])
})
