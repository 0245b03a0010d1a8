import { afterAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { domainNotAllowedText } from '@flotilla/contract/email'
import { WRONG_LOGINS_PER_NETWORK_MAX } from '@flotilla/contract/limits'
import { twoStep } from '@flotilla/contract/site/two-step'
import { trainingLogin } from '@flotilla/contract/trainings/login'
import { trainings as calls } from '@flotilla/contract/trainings/trainings'
import { workshopApp } from '../../../../test/support/app/workshop'

const HOUR_MS = 60 * 60_000
const DEVICE = 'a secret of this browser'
const { app, instructor, admin, create, login, seatsOf, codeIn } = await workshopApp()
afterAll(() => app.close())

test('a participant logs in without a code when two-step is off, always to the same seat', async () => {
  const training = await create({ seats: 2, twoStep: false })
  const code = training.data.sessionCode.toLowerCase().replaceAll('-', ' ')
  expect(
    await app.must(trainingLogin.generateCode, {
      body: { fullName: 'Ada Lovelace', email: 'Ada@Example.org', sessionCode: code },
    }),
  ).toMatchObject({ verificationRequired: false })
  const first = await login(training, 'ada@example.org')
  expect(first.user).toMatchObject({
    role: ['participant'],
    participant: true,
    participantEmail: 'ada@example.org',
    sessionCode: training.data.sessionCode,
    endTime: training.data.endTime,
    firstName: 'Ada',
    lastName: 'Lovelace',
  })
  const again = await login(training, 'ada@example.org')
  expect(again.user.id).toBe(first.user.id)
  expect((await login(training, 'eve@example.org')).user.id).not.toBe(first.user.id)
  expect(
    await app.refused(trainingLogin.login, {
      body: {
        fullName: 'Max',
        email: 'max@example.org',
        sessionCode: training.data.sessionCode,
      },
    }),
  ).toMatchObject({ status: 409, code: 'workshop_full' })
  expect((await seatsOf(training)).map(({ participantEmail }) => participantEmail)).toEqual([
    'ada@example.org',
    'eve@example.org',
  ])
  expect(await app.must(calls.own, {}, first)).toMatchObject({
    number: 1,
    fullName: 'Ada Lovelace',
    messages: [],
  })
})

test('concurrent logins fill all seats, give no participant two and reject the rest', async () => {
  const training = await create({ seats: 60, twoStep: false })
  const emails = Array.from({ length: 65 }, (_, index) => `person${index}@example.org`)
  // Every participant logs in twice.
  const outcomes = await Promise.allSettled([...emails, ...emails].map((email) => login(training, email)))
  const users = new Map<string, Set<string>>()
  for (const outcome of outcomes)
    if (outcome.status === 'fulfilled') {
      const { participantEmail, id } = outcome.value.user
      users.set(participantEmail ?? '', (users.get(participantEmail ?? '') ?? new Set()).add(id))
    }
  const reasons = outcomes.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as { code: string }] : [],
  )
  expect(new Set(reasons.map(({ code }) => code))).toEqual(new Set(['workshop_full']))
  expect(users.size).toBe(60)
  expect([...users.values()].every((ids) => ids.size === 1)).toBe(true)
  expect(new Set([...users.values()].flatMap((ids) => [...ids])).size).toBe(60)
  expect(await app.must(calls.view, { id: training.id }, instructor)).toMatchObject({ seatsTaken: 60 })
})

test('email domains, session codes and start times are enforced, with an explanation', async () => {
  const allowedDomains = ['example.org', 'uni.example']
  const training = await create({ allowedDomains, twoStep: false })
  const { sessionCode } = training.data
  const body = { fullName: 'Eve', email: 'eve@evil.example', sessionCode }
  for (const call of [trainingLogin.login, trainingLogin.generateCode])
    expect(await app.refused(call, { body })).toMatchObject({
      status: 400,
      message: domainNotAllowedText(allowedDomains),
      allowedDomains,
    })
  const registered = { fullName: 'Eve', participantEmail: 'eve@evil.example', sessionCode }
  expect(await app.refused(trainingLogin.register, { body: registered })).toMatchObject({
    status: 400,
    allowedDomains,
  })
  expect(
    await app.refused(trainingLogin.login, { body: { ...body, sessionCode: 'AAA-AAA-AAA' } }),
  ).toMatchObject({ status: 400, code: 'bad_session_code', fields: { sessionCode: expect.any(String) } })

  const later = await create({ startTime: Date.now() + HOUR_MS, twoStep: false })
  const early = { fullName: 'Ada', email: 'ada@example.org', sessionCode: later.data.sessionCode }
  expect(await app.refused(trainingLogin.login, { body: early })).toMatchObject({
    status: 409,
    code: 'wrong_state',
  })
  const { training: known } = await app.must(trainingLogin.register, {
    body: { fullName: 'Ada', participantEmail: 'ada@example.org', sessionCode: later.data.sessionCode },
  })
  expect(known.startTime).toBe(later.data.startTime)
  expect(await app.must(calls.registrations, { id: later.id }, instructor)).toMatchObject([
    {
      fullName: 'Ada',
      participantEmail: 'ada@example.org',
      state: 'registered',
      verifiedAt: null,
      clusterId: null,
    },
  ])
})

test('with two-step, a login needs the code of this workshop and works once, in the same browser', async () => {
  const training = await create({ twoStep: true })
  const other = await create({ twoStep: true })
  const email = 'ada@example.org'
  const { sessionCode } = training.data
  const person = { fullName: 'Ada', email, sessionCode }
  expect(await app.refused(trainingLogin.login, { body: person })).toMatchObject({
    code: 'verification_needed',
  })
  await app.must(trainingLogin.generateCode, { body: { ...person, sessionCode: other.data.sessionCode } })
  expect(await app.must(trainingLogin.generateCode, { body: person })).toMatchObject({
    verificationRequired: true,
  })
  const code = codeIn(email)
  const wrong = code === '000000' ? '000001' : '000000'
  const verify = (digits: string, device?: string) =>
    app.answer(trainingLogin.verifyCode, { body: { email, code: digits, sessionCode, device } })
  expect((await verify(wrong)).json).toMatchObject({
    code: 'bad_code',
    message: 'Invalid or expired verification code',
  })
  expect((await verify(code, DEVICE)).json).toEqual({ verified: true })
  // Another person in the room knows the address and the session code.
  expect(await app.refused(trainingLogin.login, { body: person })).toMatchObject({
    code: 'verification_needed',
  })
  // A verification for one workshop is not valid for another.
  const elsewhere = { ...person, sessionCode: other.data.sessionCode, device: DEVICE }
  expect(await app.refused(trainingLogin.login, { body: elsewhere })).toMatchObject({
    code: 'verification_needed',
  })
  const { user } = await app.must(trainingLogin.login, { body: { ...person, device: DEVICE } })
  expect(user.participantEmail).toBe(email)
  const repeated = { ...person, device: DEVICE }
  expect(await app.refused(trainingLogin.login, { body: repeated })).toMatchObject({
    code: 'verification_needed',
  })

  // Another device gets another code and the same seat. A client without a secret may log in once from its address.
  await app.must(trainingLogin.resendCode, { body: { email, sessionCode } })
  expect((await verify(codeIn(email))).json).toEqual({ verified: true })
  expect((await app.must(trainingLogin.login, { body: person })).user.id).toBe(user.id)
  expect(await app.refused(trainingLogin.login, { body: person })).toMatchObject({
    code: 'verification_needed',
  })

  // A code is invalidated after a few wrong attempts.
  await app.must(trainingLogin.resendCode, { body: { email, sessionCode } })
  const last = codeIn(email)
  for (let attempt = 0; attempt < 5; attempt++) await verify(last === '111111' ? '222222' : '111111')
  expect((await verify(last)).status).toBe(400)
})

test("two-step follows the site's rules unless the workshop overrides them", async () => {
  await app.must(twoStep.add, { body: { enabled: true, emailDomains: ['strict.example'] } }, admin)
  const training = await create({})
  const needsCode = async (email: string, sessionCode: string) =>
    (await app.must(trainingLogin.generateCode, { body: { fullName: 'Ada', email, sessionCode } }))
      .verificationRequired
  expect(await needsCode('ada@strict.example', training.data.sessionCode)).toBe(true)
  expect(await needsCode('ada@example.org', training.data.sessionCode)).toBe(false)
  const off = await create({ twoStep: false })
  expect(await needsCode('ada@strict.example', off.data.sessionCode)).toBe(false)
})

/** Registers an invented person from this address. */
const invent = (from: string, sessionCode: string, name: string) => {
  const body = { fullName: 'Test Person', participantEmail: `${name}@example.org`, sessionCode }
  return app.call('POST', trainingLogin.register.path, { from, body })
}

test('invented registrations do not keep participants out', async () => {
  const training = await create({ seats: 1, twoStep: false })
  await login(training, 'seated@example.org')
  const names = Array.from({ length: 51 }, (_, index) => `person${index}`)
  for (const [index, name] of names.entries())
    expect(await invent(`192.0.2.${index % 3}`, training.data.sessionCode, name)).toMatchObject({
      status: 201,
    })
  const registered = await app.must(calls.registrations, { id: training.id }, instructor)
  expect(registered.map(({ participantEmail }) => participantEmail)).toEqual(
    [...names.slice(2).toReversed(), 'seated'].map((name) => `${name}@example.org`),
  )
})

test('one network cannot register so many participants that pending codes of others are removed', async () => {
  const training = await create({ seats: 1, twoStep: true })
  const { sessionCode } = training.data
  const person = { fullName: 'Grace', email: 'grace@example.org', sessionCode, device: DEVICE }
  await app.must(trainingLogin.generateCode, { body: person })
  const statuses: number[] = []
  for (let one = 0; one < 60; one++)
    statuses.push((await invent('198.51.100.7', sessionCode, `crowd${one}`)).status)
  expect(statuses).toEqual([...Array<number>(20).fill(201), ...Array<number>(40).fill(429)])
  expect(await invent('198.51.100.7', sessionCode, 'crowd60')).toMatchObject({
    json: { code: 'too_many_attempts', message: expect.stringContaining('Try again in') },
  })
  // A registered participant can continue from that network, and others can register from elsewhere.
  expect((await invent('198.51.100.7', sessionCode, 'crowd0')).status).toBe(201)
  expect((await invent('203.0.113.9', sessionCode, 'heidi')).status).toBe(201)
  await app.must(trainingLogin.verifyCode, { body: { ...person, code: codeIn(person.email) } })
  expect((await app.must(trainingLogin.login, { body: person })).user.participantEmail).toBe(person.email)
})

test('after too many wrong session codes the right one is rejected too, until the window ends', async () => {
  const training = await create({ seats: 2, twoStep: false })
  const person = { fullName: 'Ada', email: 'ada@example.org' }
  const enter = (sessionCode: string) => app.answer(trainingLogin.login, { body: { ...person, sessionCode } })
  await enter('AAA-AAA-AAA')
  const key = sql<boolean>`key like 'session code from %'`
  const full = app.db.kysely.updateTable('attempts').set({ count: WRONG_LOGINS_PER_NETWORK_MAX })
  await full.where(key).execute()
  expect((await enter(training.data.sessionCode)).status).toBe(429)
  await app.db.kysely.deleteFrom('attempts').where(key).execute()
  expect((await enter(training.data.sessionCode)).status).toBe(200)
})
