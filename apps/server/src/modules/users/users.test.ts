import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
import { ATTEMPTS_MAX } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { newId } from '../../ids'
import { PASSWORD, testApp, type Answer, type TestApp } from '../../../test/support/app/app'
import { leaks, recordAnswers } from '../../../test/support/app/secrets'
import { newName, OTHER_PASSWORD, registration } from '../../../test/support/app/login'

type NewUser = Sent<typeof api.users.create>['body']
type Change = Sent<typeof api.users.update>['body']

let server: TestApp
let answers: Answer[]
let admin: { id: string; token: string; username: string }
let user: { id: string; token: string; username: string }
beforeAll(async () => {
  server = await testApp()
  ;({ answers } = recordAnswers(server))
  admin = await server.person('keeper', ['admin'])
  user = await server.person('plainuser', ['user'])
})
afterAll(() => server.close())

// Border: tests also send invalid values.
const newUser = (username: string, more = {}) =>
  registration(username, { role: ['user'], ...more }) as NewUser
const create = (body: NewUser, token = admin.token) => server.answer(api.users.create, { body }, { token })
const update = (body: Change, token = admin.token, scope = true) =>
  server.answer(api.users.update, { body }, { token, admin: scope })
const list = (query: Sent<typeof api.users.list>['query']) =>
  server.must(api.users.list, { query }, { token: admin.token })

describe('accounts created by an admin', () => {
  it('work at once and have the given values', async () => {
    const username = newName()
    const made = await create(
      newUser(username.toUpperCase(), { role: ['instructor', 'user'], endTime: 4e12, providers: ['aws'] }),
    )
    expect(made).toMatchObject({
      status: 201,
      json: {
        username,
        role: ['instructor', 'user'],
        endTime: 4e12,
        providers: ['aws'],
        verified: true,
        authType: 'local',
        admin: false,
      },
    })
    expect(await server.login(username)).toBeTypeOf('string')
    expect((await create(newUser(username))).json).toMatchObject({
      statusCode: 406,
      reason: 'duplicateEntry',
    })
    expect((await create(newUser(newName(), { role: ['participant'] }))).json).toMatchObject({
      statusCode: 400,
    })
    expect((await create(newUser(newName(), { role: [] }))).json).toMatchObject({
      fields: { role: expect.any(String) },
    })
    expect((await create(newUser(newName()), user.token)).status).toBe(403)
  })

  it('are rejected with the reason if the username or address is taken', async () => {
    const [one, other] = [newName(), newName()]
    await create(newUser(one))
    expect((await create(newUser(one, { email: 'free@example.org' }))).json).toMatchObject({
      reason: 'duplicateEntry',
      fields: { username: 'This username is already taken' },
    })
    const email = `${one}@example.org`
    const { json } = await create(newUser(other, { email }))
    expect(json).toMatchObject({ fields: { email: 'This email address is already taken' } })
    // A visitor does not learn which one is taken.
    const body = registration(other, { email })
    const refused = await server.answer(api.auth.register, { body })
    expect(refused).toMatchObject({
      status: 406,
      json: { message: 'This username or email address is already taken' },
    })
    expect(refused.text).not.toContain('fields')
  })

  it('can be mapped to Unix accounts that no other user has', async () => {
    const [one, other] = [newName(), newName()]
    const made = await create(newUser(one, { unixAccount: 'jo' }))
    expect(made).toMatchObject({ status: 201, json: { unixAccount: 'jo' } })
    const refused = { fields: { unixAccount: 'This account belongs to another user' } }
    expect((await create(newUser(other, { unixAccount: 'jo' }))).json).toMatchObject(refused)
    expect((await create(newUser(other, { unixAccount: one }))).json).toMatchObject(refused)
    for (const unixAccount of ['JO', 'jo@example.org', `${one}@example.org`])
      expect((await create(newUser(other, { unixAccount }))).json, unixAccount).toMatchObject(refused)
    const { id } = (await create(newUser(other))).json
    expect((await update({ id, unixAccount: 'jo' })).json).toMatchObject(refused)
    expect((await update({ id, unixAccount: 'x'.repeat(200) })).status).toBe(200)
    for (const unixAccount of ['', '-x', 'a b', 'a:b', '../x', 'a\nb', 'x'.repeat(256)])
      expect((await update({ id, unixAccount })).json).toMatchObject({
        fields: { unixAccount: expect.any(String) },
      })
    const me = await server.person(newName(), ['user'])
    expect((await update({ id: me.id, unixAccount: 'boss' }, me.token, false)).status).toBe(403)
    // Otherwise anyone could register that name and act as this user's account on clusters.
    await update({ id, unixAccount: 'smithers' })
    const body = registration('smithers')
    expect((await server.refused(api.auth.register, { body })).status).toBe(406)
    await update({ id, unixAccount: null })
    await server.must(api.auth.register, { body })
  })

  it('can end at any time, including the past and the far future', async () => {
    for (const endTime of [0, 1, 8.64e15]) {
      const made = await create(newUser(newName(), { endTime }))
      expect(made).toMatchObject({ status: 201, json: { endTime } })
      expect(await list({ limit: 1 })).toMatchObject([{ endTime }])
    }
  })

  it('have unique usernames and addresses, even if they are created concurrently', async () => {
    const username = newName()
    const all = await Promise.all(Array.from({ length: 5 }, () => create(newUser(username))))
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 406, 406, 406, 406])
  })

  it('have unique Unix accounts, regardless of spelling and even if they are created concurrently', async () => {
    const accounts = ['Grid1', 'grid1', 'GRID1', 'grid1@Example.org', 'Grid1@example.org']
    const all = await Promise.all(accounts.map((unixAccount) => create(newUser(newName(), { unixAccount }))))
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 406, 406, 406, 406])
  })
})

describe('changing an account', () => {
  it('is allowed to its user for names and address only', async () => {
    const me = await server.person(newName(), ['user'])
    expect(await update({ id: me.id, firstName: 'Émilie' }, me.token, false)).toMatchObject({
      status: 200,
      json: { firstName: 'Émilie' },
    })
    // A role in this request is ignored.
    const sent = { lastName: 'Noether', role: ['admin'] }
    const own = await server.must(api.auth.update, { body: sent }, { token: me.token })
    expect(own).toMatchObject({ lastName: 'Noether', role: ['user'] })
    const rights: Partial<Change>[] = [
      { role: ['admin'] },
      { role: ['user'] },
      { endTime: null },
      { providers: null },
      { verified: true },
    ]
    for (const more of rights)
      for (const scope of [false, true])
        expect((await update({ id: me.id, ...more }, me.token, scope)).json).toMatchObject({
          statusCode: 403,
          code: 'forbidden',
        })
    expect((await update({ id: admin.id, firstName: 'Eve' }, me.token)).json).toMatchObject({
      statusCode: 403,
      code: 'forbidden',
    })
    const steal = { id: admin.id, password: OTHER_PASSWORD, currentPassword: PASSWORD }
    const stealing = await server.refused(
      api.users.changePassword,
      { body: steal },
      { token: me.token, admin: true },
    )
    expect(stealing.status).toBe(403)
    expect((await list({ search: 'keeper' })).map(({ username }) => username)).toEqual(['keeper'])
  })

  it('of another user requires an admin with the header for admin scope', async () => {
    const other = await server.person(newName(), ['user'])
    const password = { id: other.id, password: OTHER_PASSWORD }
    const noScope: Record<string, string>[] = [{}, { admin: 'false' }, { admin: 'TRUE' }, { admin: '1' }]
    for (const headers of noScope) {
      const as = { as: admin.token, headers }
      const body = { id: other.id, firstName: 'Eve' }
      expect((await server.call('PUT', api.users.update.path, { ...as, body })).json).toMatchObject({
        statusCode: 403,
        code: 'admin_scope_needed',
      })
      const refused = await server.call('PUT', api.users.changePassword.path, { ...as, body: password })
      expect(refused.json).toMatchObject({ code: 'admin_scope_needed' })
    }
    expect((await update({ id: other.id, role: ['instructor'] })).json).toMatchObject({
      role: ['instructor'],
    })
    await server.must(api.users.changePassword, { body: password }, { token: admin.token, admin: true })
    expect(await server.login(other.username, OTHER_PASSWORD)).toBeTypeOf('string')
    expect((await update({ id: newId(), firstName: 'Eve' })).status).toBe(404)
  })

  it('keeps addresses unique and notifies the old address', async () => {
    const [one, two] = [await server.person(newName(), ['user']), await server.person(newName(), ['user'])]
    expect(
      (await update({ id: one.id, email: `${two.username.toUpperCase()}@example.org` })).json,
    ).toMatchObject({ statusCode: 406, reason: 'duplicateEntry' })
    const same = await Promise.all([one, two].map(({ id }) => update({ id, email: 'shared@example.org' })))
    expect(same.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 406])
    const winner = same[0]?.status === 200 ? one : two
    expect(server.mails.at(-1)).toMatchObject({
      to: `${winner.username}@example.org`,
      text: expect.stringContaining('shared@example.org'),
    })
    const mailCount = server.mails.length
    expect((await update({ id: winner.id, email: 'shared@example.org' })).status).toBe(200)
    expect(server.mails).toHaveLength(mailCount)
  })

  it('does not bring back a user who is being removed', async () => {
    const { id } = await server.person(newName(), ['user'])
    const [removed, ...changed] = await Promise.all([
      server.answer(api.users.remove, { body: { id } }, { token: admin.token }),
      ...Array.from({ length: 4 }, () => update({ id, firstName: 'Gone' })),
    ])
    expect(removed?.status).toBe(200)
    for (const { status } of changed) expect([200, 404]).toContain(status)
    expect((await update({ id, firstName: 'Gone' })).status).toBe(404)
  })
})

describe('a user who is locked out by wrong passwords', () => {
  it('is listed for admins, who can lift the lockout', async () => {
    const person = await server.person(newName(), ['user'])
    const tryLogin = (password: string) =>
      server.answer(api.auth.login, { body: { username: person.username, password } })
    const lockouts = () => server.must(api.users.lockouts, {}, { token: admin.token })
    for (let i = 0; i < ATTEMPTS_MAX - 1; i++) await tryLogin('Wrong-Horse-7!')
    expect((await lockouts()).filter(({ id }) => id === person.id)).toEqual([])
    await tryLogin('Wrong-Horse-7!')
    expect((await tryLogin(PASSWORD)).status).toBe(429)
    expect((await lockouts()).filter(({ id }) => id === person.id)).toEqual([
      {
        id: person.id,
        username: person.username,
        network: expect.stringMatching(/./),
        until: expect.any(Number),
      },
    ])
    const { id: locked } = person
    expect((await server.refused(api.users.liftLockout, { id: locked }, { token: user.token })).status).toBe(
      403,
    )
    expect((await server.refused(api.users.lockouts, {}, { token: user.token })).status).toBe(403)
    await server.must(api.users.liftLockout, { id: locked }, { token: admin.token })
    expect((await lockouts()).filter(({ id }) => id === person.id)).toEqual([])
    expect((await tryLogin(PASSWORD)).status).toBe(200)
    const reply = await server.must(api.activities.list, { query: { limit: 5 } }, { token: admin.token })
    expect(reply).toContainEqual(
      expect.objectContaining({ action: 'lockout lifted', subject: `user ${person.username}` }),
    )
  })
})

describe('inviting a user and logging them out everywhere', () => {
  it('requires an admin and an existing user', async () => {
    for (const call of [api.users.invite, api.users.logOutEverywhere]) {
      expect((await server.refused(call, { id: user.id }, { token: user.token })).status).toBe(403)
      expect((await server.refused(call, { id: newId() }, { token: admin.token })).status).toBe(404)
    }
    const { userKey, link } = await server.must(api.users.invite, { id: user.id }, { token: admin.token })
    expect(link).toBe(`http://127.0.0.1:12345/login/${userKey}`)
  })
})

it('changes are recorded in the audit trail, without secrets', async () => {
  const username = newName()
  const { id } = (await create(newUser(username))).json
  await update({ id, firstName: 'Emmy', role: ['instructor'] })
  const reply = await server.must(api.activities.list, { query: { limit: 2 } }, { token: admin.token })
  expect(reply).toMatchObject([
    {
      actor: 'keeper',
      action: 'user updated',
      subject: `user ${username}`,
      detail: expect.stringContaining('role'),
    },
    { actor: 'keeper', action: 'user created', subject: `user ${username}` },
  ])
  const me = await server.must(api.users.list, {}, { token: admin.token })
  expect(me, 'with the name of what it was done to').toContainEqual(
    expect.objectContaining({
      username: 'keeper',
      activities: expect.arrayContaining([expect.objectContaining({ subject: `user ${username}` })]),
    }),
  )
  expect(messages.userCreated).toBe('User created successfully')
  const everything = JSON.stringify(
    await server.must(api.activities.list, { query: { limit: 1000 } }, { token: admin.token }),
  )
  expect(everything).not.toContain(PASSWORD)
})

it('no secrets appear in the log or the responses', () => {
  expect(leaks(server, answers, [OTHER_PASSWORD])).toEqual([])
})
