import { api } from '@flotilla/contract/api'
import { afterAll, expect, test } from 'vitest'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { trainings as calls } from '@flotilla/contract/trainings/trainings'
import { workshopApp } from '../../../test/support/app/workshop'
import { changeSecurity } from '../settings/store'

const HOUR_MS = 60 * 60_000
const { app, instructor, admin, create, login, seatsOf, runTask, runOf } = await workshopApp()
afterAll(() => app.close())

test('instructors create, list, edit and delete their workshops, and other instructors do not see them', async () => {
  const made = await create({ seats: 3, twoStep: false })
  expect(made).toMatchObject({
    name: 'Python',
    state: 'running',
    mine: true,
    seatsTaken: 0,
    registrations: [],
  })
  expect(made.data).toMatchObject({ seats: 3, seatMode: 'shared', twoStep: false, clusterId: null })
  expect(made.data.sessionCode).toMatch(/^[2-9A-HJKMNP-Z]{3}(-[2-9A-HJKMNP-Z]{3}){2}$/)
  expect(made.data.endTime - made.data.startTime).toBe(8 * HOUR_MS)
  const listed = await app.must(calls.list, {}, instructor)
  expect(listed.map(({ id }) => id)).toContain(made.id)

  const other = await app.person('rival', ['instructor', 'user'])
  expect(await app.must(calls.list, {}, other)).toEqual([])
  expect((await app.refused(calls.view, { id: made.id }, other)).status).toBe(404)
  expect(await app.refused(calls.update, { id: made.id, body: { name: 'Mine' } }, admin)).toMatchObject({
    status: 403,
    code: 'admin_scope_needed',
  })

  const body = { ...made, data: { ...made.data, seats: 5 }, name: 'Python for beginners' }
  const edited = await app.must(calls.update, { id: made.id, body }, instructor)
  expect(edited).toMatchObject({
    name: 'Python for beginners',
    data: { seats: 5, sessionCode: made.data.sessionCode },
  })
  await app.must(calls.collaborators, { id: made.id, body: { collaborators: ['rival'] } }, instructor)
  expect(await app.must(calls.seats, { id: made.id }, other)).toHaveLength(5)
  expect((await app.refused(calls.remove, { id: made.id }, other)).status).toBe(403)

  const renewed = await app.must(calls.renewSessionCode, { id: made.id }, instructor)
  expect(renewed.data.sessionCode).not.toBe(made.data.sessionCode)
  const text = JSON.stringify(await app.must(api.activities.list, {}, { token: admin.token }))
  expect(text).toContain('workshop Python for beginners')
  expect(text).not.toContain(renewed.data.sessionCode)
  expect(await app.must(calls.remove, { id: made.id }, instructor)).toEqual({ id: made.id })
})

test.each<[string, Record<string, unknown>]>([
  ['name', { data: {} }],
  ['data.seats', { name: 'Python', data: { seats: 0 } }],
  ['data.endTime', { name: 'Python', data: { startTime: 2, endTime: 1 } }],
  ['data.allowedDomains.0', { name: 'Python', data: { allowedDomains: ['@'] } }],
  ['data.sessionCode', { name: 'Python', data: { sessionCode: 'short' } }],
  ['data.clusterId', { name: 'Python', data: { clusterId: 'nothing' } }],
  ['collaborators', { name: 'Python', collaborators: ['nosuchuser'] }],
])('a workshop with an invalid %s is rejected', async (field, body) => {
  const { status, json } = await app.call('POST', calls.create.path, { as: instructor.token, body })
  expect({ status, json }).toMatchObject({ status: 400, json: { fields: { [field]: expect.any(String) } } })
})

test('an instructor sees hands, sends messages, extends sessions, resets seats and removes participants', async () => {
  const training = await create({ seats: 3, twoStep: false })
  const { id } = training
  const ada = await login(training, 'ada@example.org')
  const eve = await login(training, 'eve@example.org', 'Eve')
  await app.must(calls.raiseOwnHand, { body: { raised: true } }, ada)
  expect((await seatsOf(training))[0]).toMatchObject({
    handRaisedAt: expect.any(Number),
    fullName: 'Ada Lovelace',
  })
  expect(await app.must(calls.view, { id }, instructor)).toMatchObject({ handsRaised: 1 })
  await app.must(calls.lowerHand, { id, number: '1', body: { raised: false } }, instructor)
  expect((await app.must(calls.own, {}, ada)).handRaisedAt).toBeNull()

  await app.must(calls.sendMessage, { id, body: { text: 'Welcome' } }, instructor)
  await app.must(
    calls.sendMessage,
    { id, body: { text: 'Only for Ada', userEmails: ['ada@example.org'] } },
    instructor,
  )
  const texts = async (as: { token: string }) =>
    (await app.must(calls.own, {}, as)).messages.map(({ text }) => text)
  expect(await texts(ada)).toEqual(['Welcome', 'Only for Ada'])
  expect(await texts(eve)).toEqual(['Welcome'])
  expect(
    await app.refused(
      calls.sendMessage,
      { id, body: { text: 'x', userEmails: ['no@one.example'] } },
      instructor,
    ),
  ).toMatchObject({ status: 400, fields: { userEmails: expect.any(String) } })

  await app.must(calls.extend, { id, body: { minutes: 30, userEmails: ['eve@example.org'] } }, instructor)
  const ends = async () =>
    (await seatsOf(training)).slice(0, 2).map((seat) => seat.endTime - training.data.endTime)
  expect(await ends()).toEqual([0, 30 * 60_000])
  await app.must(calls.extend, { id, body: { minutes: 10 } }, instructor)
  expect(await ends()).toEqual([10 * 60_000, 30 * 60_000])

  expect(await app.must(calls.resetSeat, { id, number: '1' }, instructor)).toMatchObject({
    message: 'Seat 1 reset',
  })
  expect((await app.refused(calls.own, {}, ada)).status).toBe(401)
  const back = await login(training, 'ada@example.org')
  expect(back.user.id).not.toBe(ada.user.id)
  expect((await app.must(calls.own, {}, back)).number).toBe(1)

  const csv = (await app.answer(calls.attendance, { id }, { token: instructor.token })).text
  expect(csv).toMatch(/^Seat,Full name,Email,/)
  expect(csv).toContain('1,Ada Lovelace,ada@example.org,')
  expect(
    await app.must(
      calls.terminateVnc,
      { id, body: { userEmails: ['eve@example.org'], clusterId: null } },
      instructor,
    ),
  ).toMatchObject({ ended: 0 })
  expect(
    await app.must(calls.removeUsers, { id, body: { userEmails: ['eve@example.org'] } }, instructor),
  ).toMatchObject({ removed: 1 })
  expect((await app.refused(calls.own, {}, eve)).status).toBe(401)
  expect((await seatsOf(training))[1]).toMatchObject({ participantEmail: null, userId: null })
})

test('all sessions end at the end time, and extended sessions at their own', async () => {
  const training = await create({ seats: 2, twoStep: false, endTime: Date.now() + HOUR_MS })
  const ada = await login(training, 'ada@example.org')
  const eve = await login(training, 'eve@example.org')
  await app.must(
    calls.extend,
    { id: training.id, body: { minutes: 30, userEmails: ['eve@example.org'] } },
    instructor,
  )
  app.advance(HOUR_MS + 1000)
  try {
    expect((await app.refused(calls.own, {}, ada)).status).toBe(401)
    const refreshed = await app.must(
      calls.own,
      {},
      { token: (await login(training, 'eve@example.org')).token },
    )
    expect(refreshed.number).toBe(2)
    const teacher = { token: await app.login('teacher') }
    await runTask('training-clock', { training: training.id })
    expect(await app.must(calls.view, { id: training.id }, teacher)).toMatchObject({
      preparation: { state: 'none' },
    })
    app.advance(HOUR_MS / 2)
    const now = { token: await app.login('teacher') }
    await runTask('training-clock', { training: training.id })
    expect(await app.must(calls.view, { id: training.id }, now)).toMatchObject({
      state: 'ended',
      preparation: { state: 'tearing-down' },
    })
    await runTask('training-run', { run: await runOf(training.id) })
    expect(await app.must(calls.receipt, { id: training.id }, now)).toMatchObject({
      participants: 2,
      accountsRemoved: 2,
      clusters: [],
      problems: [],
    })
    expect(
      await app.refused(api.trainingLogin.login, {
        body: {
          fullName: 'Ada',
          email: 'ada@example.org',
          sessionCode: training.data.sessionCode,
        },
      }),
    ).toMatchObject({ status: 409, message: 'This workshop has ended' })
    expect(eve.user.participantEmail).toBe('eve@example.org')
  } finally {
    app.advance(-HOUR_MS * 1.5 - 1000)
  }
})

test('ending a workshop ends the sessions of its participants at once', async () => {
  const training = await create({ twoStep: false })
  const ada = await login(training, 'ada@example.org')
  expect(await app.must(calls.end, { id: training.id }, instructor)).toMatchObject({ state: 'ended' })
  expect((await app.refused(calls.own, {}, ada)).status).toBe(401)
  expect((await app.refused(calls.end, { id: training.id }, instructor)).status).toBe(409)
})

test('only an admin can choose this machine for a workshop if self-registered users need approval for it', async () => {
  const data = { manager: 'none' as const, transport: 'local' as const }
  const { id } = await app.must(
    clusters.createLocal,
    { body: { name: 'This one', forEveryone: true, data } },
    admin,
  )
  const access = (selfRegisteredAccess: 'immediately' | 'never') =>
    changeSecurity(app.db.kysely, { selfRegisteredAccess })
  await access('never')
  const body = { name: 'Here', data: { clusterId: id } }
  expect(await app.refused(calls.create, { body }, instructor)).toMatchObject({
    status: 400,
    fields: { 'data.clusterId': expect.stringContaining('only an admin') },
  })
  await app.must(calls.create, { body }, admin)
  await access('immediately')
  await app.must(calls.create, { body }, instructor)
})
