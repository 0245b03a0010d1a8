import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '@flotilla/contract/access'
import { users } from '@flotilla/contract/people/users'
import { ui } from '@flotilla/contract/site/ui'
import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings as calls } from '@flotilla/contract/trainings/trainings'
import { workshopApp } from '../../../test/support/app/workshop'

const { app, instructor, admin, create, login } = await workshopApp()
const helper = await app.person('helper', ['instructor'])
const colleague = await app.person('colleague', ['user'])
afterAll(() => app.close())

let training: Training
beforeAll(async () => {
  training = await create({ seats: 10, twoStep: false })
  const body = { collaborators: [helper.username, colleague.username] }
  await app.must(calls.collaborators, { id: training.id, body }, instructor)
  await login(training, 'other@example.org', 'Other Person')
  await app.db.kysely
    .updateTable('trainings')
    .set({ preparation_cause: 'Secret cause' })
    .where('id', '=', training.id)
    .execute()
})

/** Seats a participant and then gives their account these roles. */
async function seated(name: string, role: Role[]) {
  const person = await login(training, `${name}@example.org`, name)
  await app.db.kysely.updateTable('users').set({ role }).where('id', '=', person.user.id).execute()
  return person
}

/** The endpoints that only people who run a workshop may read. */
const readings = [
  calls.registrations,
  calls.seats,
  calls.messages,
  calls.attendance,
  calls.logs,
  calls.cost,
  calls.receipt,
]
/** The responses to actions that only people who run a workshop may take. */
const actionsRefused = (id: string, as: { token: string }) =>
  Promise.all([
    app.refused(calls.sendMessage, { id, body: { text: 'Hello' } }, as),
    app.refused(calls.extend, { id, body: { minutes: 5 } }, as),
    app.refused(calls.renewSessionCode, { id }, as),
    app.refused(calls.preflight, { id }, as),
    app.refused(calls.prepare, { id }, as),
    app.refused(calls.resetSeat, { id, number: '1' }, as),
    app.refused(calls.removeUsers, { id, body: { userEmails: ['other@example.org'] } }, as),
    app.refused(calls.end, { id }, as),
  ])
const secrets = () => [
  'other@example.org',
  'Other Person',
  training.data.sessionCode,
  'helper',
  'Secret cause',
]

describe.each<[string, Role[]]>([
  ['plain', ['participant']],
  ['member', ['user']],
  ['lecturer', ['instructor']],
  ['both', ['instructor', 'participant']],
  ['everything', ['instructor', 'user', 'participant']],
])('a user with a seat: %s, %j', (name, role) => {
  test('sees the workshop without what is only for the people who run it', async () => {
    const me = await seated(name, role)
    const seen = await app.must(calls.view, { id: training.id }, me)
    const listed = await app.must(calls.list, {}, me)
    expect(listed.map(({ id }) => id)).toEqual([training.id])
    for (const one of [seen, ...listed])
      expect(one).toMatchObject({
        name: 'Python',
        runs: false,
        mine: false,
        collaborators: [],
        data: { sessionCode: '' },
        preparation: { cause: null },
      })
    expect(seen.registrations).toEqual([])
    for (const secret of secrets()) expect(JSON.stringify([seen, listed])).not.toContain(secret)

    for (const call of readings)
      expect((await app.refused(call, { id: training.id }, me)).status, call.path).toBe(403)
    const actions = await actionsRefused(training.id, me)
    expect(actions.map(({ status }) => status)).toEqual(actions.map(() => 403))

    expect(await app.must(ui.settings, {}, me)).toMatchObject({ trainingsAllowed: true })
    await app.must(calls.sendMessage, { id: training.id, body: { text: `For ${name}` } }, instructor)
    const own = await app.must(calls.own, {}, me)
    expect(own).toMatchObject({ fullName: name, training: { id: training.id } })
    expect(own.messages.map(({ text }) => text)).toContain(`For ${name}`)
    expect(await app.must(calls.raiseOwnHand, { body: { raised: true } }, me)).toMatchObject({
      handRaisedAt: expect.any(Number),
    })
  })
})

test('an account with a seat still does not run the workshop after an admin gives it another role', async () => {
  const { token, user } = await login(training, 'promoted@example.org')
  await app.must(users.update, { body: { id: user.id, role: ['instructor'] } }, { ...admin, admin: true })
  expect(await app.must(calls.view, { id: training.id }, { token })).toMatchObject({
    runs: false,
    registrations: [],
    data: { sessionCode: '' },
  })
  expect((await app.refused(calls.registrations, { id: training.id }, { token })).status).toBe(403)
})

test.each([
  ['its owner', instructor, true],
  ['a collaborator', helper, false],
  ['an admin', admin, true],
])('%s runs the workshop and sees all of it', async (_who, me, mine) => {
  const seen = await app.must(calls.view, { id: training.id }, me)
  expect(seen).toMatchObject({
    runs: true,
    mine,
    collaborators: ['colleague', 'helper'],
    data: { sessionCode: training.data.sessionCode },
    preparation: { cause: 'Secret cause' },
  })
  expect(seen.registrations?.map(({ participantEmail }) => participantEmail)).toContain('other@example.org')
  const [listed] = await app.must(calls.list, {}, me)
  expect(listed).toMatchObject({ runs: true, data: { sessionCode: training.data.sessionCode } })
  for (const call of readings)
    expect((await app.answer(call, { id: training.id }, me)).status, call.path).toBe(200)
  expect(await app.must(calls.registrations, { id: training.id }, me)).toEqual(seen.registrations)
})

test('users who neither run it nor have a seat cannot find it, and users without a seat see no workshops', async () => {
  const rival = await app.person('rival', ['instructor'])
  const outsider = await app.person('outsider', ['user'])
  for (const { token } of [rival, outsider])
    expect((await app.refused(calls.view, { id: training.id }, { token })).status).toBe(404)
  expect((await app.refused(calls.registrations, { id: training.id }, rival)).status).toBe(404)
  expect(await app.must(ui.settings, {}, outsider)).toMatchObject({ trainingsAllowed: false })
  expect(await app.must(calls.view, { id: training.id }, colleague)).toMatchObject({
    runs: true,
    mine: false,
  })
})
