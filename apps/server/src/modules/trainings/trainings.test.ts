import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { domainNotAllowedText } from '@flotilla/contract/email'
import { WRONG_LOGINS_PER_NETWORK_MAX } from '@flotilla/contract/limits'
import { twoStep } from '@flotilla/contract/site/two-step'
import { trainingLogin } from '@flotilla/contract/trainings/login'
import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings as calls } from '@flotilla/contract/trainings/trainings'
import { testApp, type TestApp } from '../../../test/support/app'
import { cloudRow, machine, rowOf, setMachines } from '../../../test/support/cloud-row'
import { notAcceptedReason } from '../clusters/connection/acceptance'
import { findAny } from '../clusters/store'
import { changeSecurity } from '../settings/store'

const HOUR_MS = 60 * 60_000
const DEVICE = 'a secret of this browser'
let app: TestApp
let instructor: { token: string }
let admin: { token: string }
beforeAll(async () => {
  app = await testApp({ CLOUD: 'simulated' })
  instructor = await app.person('teacher', ['instructor'])
  admin = await app.person('chief', ['admin'])
})
afterAll(() => app.close())

const create = (data: {
  seats?: number
  twoStep?: boolean | null
  allowedDomains?: string[]
  startTime?: number
  endTime?: number
  clusterId?: string
}): Promise<Training> => app.must(calls.create, { body: { name: 'Python', data } }, instructor)
const login = (training: Training, email: string, fullName = 'Ada Lovelace') =>
  app.must(trainingLogin.login, { body: { fullName, email, sessionCode: training.data.sessionCode } })
const seatsOf = ({ id }: Training) => app.must(calls.seats, { id }, instructor)
const codeIn = (email: string): string =>
  /\d{6}/.exec(app.mails.findLast(({ to }) => to === email)?.subject ?? '')?.[0] ?? ''
const refused = async (method: string, url: string, body: unknown, as?: string) => {
  const { status, json } = await app.call(method, url, { body, ...(as !== undefined && { as }) })
  return { status, ...(json as { code: string; message: string; fields?: Record<string, string> }) }
}

test('instructors create, list, edit and delete their workshops, and no one else sees them', async () => {
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
  expect((await refused('GET', `/api/trainings/${made.id}`, undefined, other.token)).status).toBe(404)
  expect(await refused('PUT', `/api/trainings/${made.id}`, { name: 'Mine' }, admin.token)).toMatchObject({
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
  expect((await refused('DELETE', `/api/trainings/${made.id}`, undefined, other.token)).status).toBe(403)

  const renewed = await app.must(calls.renewSessionCode, { id: made.id }, instructor)
  expect(renewed.data.sessionCode).not.toBe(made.data.sessionCode)
  const { text } = await app.call('GET', '/api/activities/', { as: admin.token })
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
  ['collaborators', { name: 'Python', collaborators: ['nobodyhere'] }],
])('a workshop with a wrong %s is refused', async (field, body) => {
  expect(await refused('POST', '/api/trainings/', body, instructor.token)).toMatchObject({
    status: 400,
    fields: { [field]: expect.any(String) },
  })
})

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
    await refused('POST', '/api/auth/login-training', {
      fullName: 'Max',
      email: 'max@example.org',
      sessionCode: training.data.sessionCode,
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

test('many at once all get in, none twice and none beyond the seats', async () => {
  const training = await create({ seats: 60, twoStep: false })
  const emails = Array.from({ length: 65 }, (_, index) => `person${index}@example.org`)
  // Everyone presses the button twice.
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

test('email domains, codes of other workshops and times are enforced with their texts', async () => {
  const allowedDomains = ['example.org', 'uni.example']
  const training = await create({ allowedDomains, twoStep: false })
  const { sessionCode } = training.data
  const body = { fullName: 'Eve', email: 'eve@evil.example', sessionCode }
  for (const url of ['/api/auth/login-training', '/api/two-step-verification/generate-code'])
    expect(await refused('POST', url, body)).toMatchObject({
      status: 400,
      message: domainNotAllowedText(allowedDomains),
      allowedDomains,
    })
  const registered = { fullName: 'Eve', participantEmail: 'eve@evil.example', sessionCode }
  expect(await refused('POST', '/api/auth/training/register', registered)).toMatchObject({
    status: 400,
    allowedDomains,
  })
  expect(
    await refused('POST', '/api/auth/login-training', { ...body, sessionCode: 'AAA-AAA-AAA' }),
  ).toMatchObject({ status: 400, code: 'bad_session_code', fields: { sessionCode: expect.any(String) } })

  const later = await create({ startTime: Date.now() + HOUR_MS, twoStep: false })
  const early = { fullName: 'Ada', email: 'ada@example.org', sessionCode: later.data.sessionCode }
  expect(await refused('POST', '/api/auth/login-training', early)).toMatchObject({
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

test('with two-step, login needs the code that was emailed for this workshop, from the same browser, once', async () => {
  const training = await create({ twoStep: true })
  const other = await create({ twoStep: true })
  const email = 'ada@example.org'
  const { sessionCode } = training.data
  const person = { fullName: 'Ada', email, sessionCode }
  expect(await refused('POST', '/api/auth/login-training', person)).toMatchObject({
    code: 'verification_needed',
  })
  await app.must(trainingLogin.generateCode, { body: { ...person, sessionCode: other.data.sessionCode } })
  expect(await app.must(trainingLogin.generateCode, { body: person })).toMatchObject({
    verificationRequired: true,
  })
  const code = codeIn(email)
  const wrong = code === '000000' ? '000001' : '000000'
  const verify = (digits: string, device?: string) =>
    app.call('POST', '/api/two-step-verification/verify-code', {
      body: { email, code: digits, sessionCode, device },
    })
  expect((await verify(wrong)).json).toMatchObject({
    code: 'bad_code',
    message: 'Invalid or expired verification code',
  })
  expect((await verify(code, DEVICE)).json).toEqual({ verified: true })
  // Someone else in the room knows the address and the session code.
  expect(await refused('POST', '/api/auth/login-training', person)).toMatchObject({
    code: 'verification_needed',
  })
  // And a verification for one workshop opens no other.
  const elsewhere = { ...person, sessionCode: other.data.sessionCode, device: DEVICE }
  expect(await refused('POST', '/api/auth/login-training', elsewhere)).toMatchObject({
    code: 'verification_needed',
  })
  const { user } = await app.must(trainingLogin.login, { body: { ...person, device: DEVICE } })
  expect(user.participantEmail).toBe(email)
  const repeated = { ...person, device: DEVICE }
  expect(await refused('POST', '/api/auth/login-training', repeated)).toMatchObject({
    code: 'verification_needed',
  })

  // Another device, another code, the same seat. A client without a secret may log in once from its address.
  await app.must(trainingLogin.resendCode, { body: { email, sessionCode } })
  expect((await verify(codeIn(email))).json).toEqual({ verified: true })
  expect((await app.must(trainingLogin.login, { body: person })).user.id).toBe(user.id)
  expect(await refused('POST', '/api/auth/login-training', person)).toMatchObject({
    code: 'verification_needed',
  })

  // Few attempts and few minutes.
  await app.must(trainingLogin.resendCode, { body: { email, sessionCode } })
  const last = codeIn(email)
  for (let attempt = 0; attempt < 5; attempt++) await verify(last === '111111' ? '222222' : '111111')
  expect((await verify(last)).status).toBe(400)
})

test('two-step follows the site unless the workshop decides', async () => {
  await app.must(twoStep.add, { body: { enabled: true, emailDomains: ['strict.example'] } }, admin)
  const training = await create({})
  const asks = async (email: string, sessionCode: string) =>
    (await app.must(trainingLogin.generateCode, { body: { fullName: 'Ada', email, sessionCode } }))
      .verificationRequired
  expect(await asks('ada@strict.example', training.data.sessionCode)).toBe(true)
  expect(await asks('ada@example.org', training.data.sessionCode)).toBe(false)
  const off = await create({ twoStep: false })
  expect(await asks('ada@strict.example', off.data.sessionCode)).toBe(false)
})

test('an instructor sees hands, sends messages, extends, resets and removes', async () => {
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
    await refused(
      'POST',
      `/api/trainings/${id}/messages`,
      { text: 'x', userEmails: ['no@one.example'] },
      instructor.token,
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
  expect((await refused('GET', '/api/trainings/own', undefined, ada.token)).status).toBe(401)
  const back = await login(training, 'ada@example.org')
  expect(back.user.id).not.toBe(ada.user.id)
  expect((await app.must(calls.own, {}, back)).number).toBe(1)

  const csv = (await app.call('GET', `/api/trainings/${id}/attendance`, { as: instructor.token })).text
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
  expect((await refused('GET', '/api/trainings/own', undefined, eve.token)).status).toBe(401)
  expect((await seatsOf(training))[1]).toMatchObject({ participantEmail: null, userId: null })
})

test('the end of the time ends every session, for those with more time later', async () => {
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
    expect((await refused('GET', '/api/trainings/own', undefined, ada.token)).status).toBe(401)
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
      await refused('POST', '/api/auth/login-training', {
        fullName: 'Ada',
        email: 'ada@example.org',
        sessionCode: training.data.sessionCode,
      }),
    ).toMatchObject({ status: 409, message: 'This workshop has ended' })
    expect(eve.user.participantEmail).toBe('eve@example.org')
  } finally {
    app.advance(-HOUR_MS * 1.5 - 1000)
  }
})

test('ending a workshop ends everything of it at once', async () => {
  const training = await create({ twoStep: false })
  const ada = await login(training, 'ada@example.org')
  expect(await app.must(calls.end, { id: training.id }, instructor)).toMatchObject({ state: 'ended' })
  expect((await refused('GET', '/api/trainings/own', undefined, ada.token)).status).toBe(401)
  expect((await refused('POST', `/api/trainings/${training.id}/end`, {}, instructor.token)).status).toBe(409)
})

test('a participant reaches the cluster of their seat and no other', async () => {
  const open = await app.must(
    clusters.createLocal,
    { body: { name: 'For everyone', forEveryone: true, data: { manager: 'none', transport: 'local' } } },
    admin,
  )
  const body = { name: 'Seats', data: { manager: 'none' as const, transport: 'local' as const } }
  const own = await app.must(clusters.createLocal, { body }, admin)
  const made = await app.must(
    calls.create,
    { body: { name: 'Slurm', data: { clusterId: own.id, twoStep: false } } },
    admin,
  )
  const ada = await login(made, 'ada@example.org')
  expect((await app.must(clusters.participant, {}, ada)).map(({ id }) => id)).toEqual([own.id])
  expect((await app.must(clusters.list, {}, ada)).map(({ id }) => id)).toEqual([own.id])
  expect((await refused('GET', `/api/clusters/${open.id}`, undefined, ada.token)).status).toBe(404)
  expect((await app.must(clusters.view, { id: own.id }, ada)).id).toBe(own.id)
  const others = await create({ twoStep: false })
  expect((await refused('GET', `/api/trainings/${others.id}`, undefined, ada.token)).status).toBe(404)
  expect(await app.must(calls.view, { id: made.id }, ada)).toMatchObject({
    registrations: [],
    collaborators: [],
    data: { sessionCode: '' },
    preparation: { cause: null },
  })
  expect(await app.must(calls.list, {}, ada)).toHaveLength(1)
  expect(await app.must(calls.preflight, { id: made.id }, { ...admin, admin: true })).toEqual(
    expect.arrayContaining([expect.objectContaining({ step: 'Cluster', state: 'failed' })]),
  )
})

test('a seat opens only what the owner of the workshop may use', async () => {
  const body = { name: 'Lent', data: { manager: 'none' as const, transport: 'local' as const } }
  const lent = await app.must(clusters.createLocal, { body }, admin)
  const share = (collaborators: string[]) =>
    app.must(clusters.collaborators, { body: { id: lent.id, collaborators } }, admin)
  await share(['teacher'])
  const made = await create({ clusterId: lent.id, twoStep: false })
  const ada = await login(made, 'ada@example.org')
  const seen = async () => (await app.must(clusters.participant, {}, ada)).map(({ id }) => id)
  expect(await seen()).toEqual([lent.id])
  await share([])
  expect(await seen()).toEqual([])
  expect((await refused('GET', `/api/clusters/${lent.id}`, undefined, ada.token)).status).toBe(404)
  expect((await refused('GET', `/api/clusters/${lent.id}/queue`, undefined, ada.token)).status).toBe(404)
  // Not by an admin on their behalf either.
  const other = await create({ twoStep: false })
  const moved = { ...other, data: { ...other.data, clusterId: lent.id } }
  const edit = await app.call('PUT', `/api/trainings/${other.id}`, {
    as: admin.token,
    body: moved,
    headers: { admin: 'true' },
  })
  expect(edit).toMatchObject({
    status: 400,
    json: { fields: { 'data.clusterId': expect.stringContaining('teacher, the owner of this workshop') } },
  })
  await share(['teacher'])
  expect(await seen()).toEqual([lent.id])
})

test('a cluster that the workshop made stays open to its seat', async () => {
  const clusterId = await cloudRow(app, admin.token)
  const made = await create({ twoStep: false })
  const ada = await login(made, 'ada@example.org')
  const seats = app.db.kysely.updateTable('training_seats').where('training_id', '=', made.id)
  await seats.set({ cluster_id: clusterId }).execute()
  expect(await app.must(clusters.participant, {}, ada)).toEqual([])
  await seats.set({ own_cluster: true }).execute()
  expect((await app.must(clusters.participant, {}, ada)).map(({ id }) => id)).toEqual([clusterId])
})

test('participants see nothing of the others on their cluster', async () => {
  const clusterId = await cloudRow(app, admin.token)
  await setMachines(app, clusterId, [machine('head', 'head', '10.0.0.1')])
  await app.must(clusters.collaborators, { body: { id: clusterId, collaborators: ['teacher'] } }, admin)
  const made = await create({ clusterId, twoStep: false })
  const [ada, eve] = [await login(made, 'ada@example.org'), await login(made, 'eve@example.org')]
  const job = (id: string, user: string) => ({
    id,
    user,
    name: 'train',
    state: 'running',
    outcome: 'running',
    nativeState: 'R',
    reason: '',
    nodes: 1,
    cores: 1,
    gpus: 0,
    partition: '',
    nodeList: 'node1',
    exitCode: null,
    timeLimitS: null,
    submitTime: null,
    startTime: null,
    endTime: null,
    submissionId: null,
    jobId: null,
  })
  const users = [ada.user.username, eve.user.username, 'researcher']
  await app.db.kysely
    .insertInto('cluster_queue')
    .values(
      users.map((user, position) => ({
        cluster_id: clusterId,
        job_id: `${position}`,
        position,
        data: JSON.stringify(job(`${position}`, user)),
      })),
    )
    .execute()
  const node = { state: 'available', nativeState: 'idle', note: '', reason: '', partitions: [] }
  const size = {
    cores: 4,
    coresUsed: 1,
    gpus: 0,
    gpusUsed: 0,
    memoryMb: null,
    memoryFreeMb: null,
    load: null,
  }
  await app.db.kysely
    .insertInto('cluster_nodes')
    .values({
      cluster_id: clusterId,
      name: 'node1',
      data: JSON.stringify({ name: 'node1', ...node, ...size }),
    })
    .execute()
  await app.db.kysely
    .insertInto('cluster_logs')
    .values({ cluster_id: clusterId, type: 'deploy', time: new Date(), level: 'info', text: '10.0.0.1' })
    .execute()
  const queueOf = (as: { token: string }) => app.must(clusters.queue, { id: clusterId, query: {} }, as)
  const nodeOf = (as: { token: string }) => app.must(clusters.node, { cluster: clusterId, node: 'node1' }, as)
  expect(await queueOf(ada)).toMatchObject({ total: 1, matching: 1, rows: [{ user: ada.user.username }] })
  expect(await queueOf(instructor)).toMatchObject({ total: 3 })
  expect((await nodeOf(eve)).jobs.map(({ user }) => user)).toEqual([eve.user.username])
  expect((await nodeOf(instructor)).jobs).toHaveLength(3)

  const activitiesOf = (as: { token: string }) =>
    app.must(clusters.activities, { id: clusterId, query: {} }, as)
  const logsOf = (as: { token: string }) =>
    app.must(clusters.logs, { id: clusterId, type: 'deploy', query: { after: 0 } }, as)
  expect([await activitiesOf(ada), await logsOf(ada)]).toEqual([[], []])
  expect(await activitiesOf(instructor)).not.toEqual([])
  expect(await logsOf(instructor)).toHaveLength(1)

  const views = [
    await app.must(clusters.view, { id: clusterId }, ada),
    ...(await app.must(clusters.participant, {}, ada)),
    ...(await app.must(clusters.list, {}, ada)),
  ]
  expect(views).toHaveLength(3)
  for (const view of views) {
    expect(view).toMatchObject({ credential_id: null, collaborators: [], queue: { running: 1, total: 1 } })
    expect(view).toMatchObject({ machines: [{ name: 'head', privateIp: null, publicIp: null }] })
    expect(JSON.stringify(view)).not.toContain('10.0.0.1')
  }
  expect(await app.must(clusters.view, { id: clusterId }, instructor)).toMatchObject({
    collaborators: ['teacher'],
    machines: [{ privateIp: '10.0.0.1' }],
  })
})

test('participants are not told how a head node is reached', async () => {
  const head = { host: 'head.example.org', username: 'operator', accounts: 'sudo' as const }
  const body = { name: 'Far', data: { manager: 'slurm' as const, transport: 'ssh' as const, head } }
  const lecturer = await app.person('lecturer', ['user', 'instructor'])
  const { id: clusterId } = await app.must(clusters.createLocal, { body }, lecturer)
  await app.db.kysely
    .updateTable('clusters')
    .set({ poll_error: 'head.example.org refused', cause: 'head.example.org is away' })
    .where('id', '=', clusterId)
    .execute()
  const workshop = { name: 'Slurm', data: { clusterId, twoStep: false } }
  const ada = await login(await app.must(calls.create, { body: workshop }, lecturer), 'ada@example.org')
  const view = await app.must(clusters.view, { id: clusterId }, ada)
  expect(view).toMatchObject({ data: { head: null, publicKey: null, hostKey: null }, info: { cause: null } })
  expect(JSON.stringify(view)).not.toMatch(/head\.example\.org|operator/)
  // What ends the programs of a seat acts as its account, which was never asked whether it accepts the cluster.
  const found = await findAny(app.db.kysely, clusterId)
  expect(found && (await notAcceptedReason(app.db.kysely, found, { id: ada.user.id }))).toBeNull()
})

test('deleting a workshop ends the sessions of its participants before what they run', async () => {
  const clusterId = await cloudRow(app, admin.token)
  await app.must(clusters.collaborators, { body: { id: clusterId, collaborators: ['teacher'] } }, admin)
  const made = await create({ clusterId, twoStep: false })
  const ada = await login(made, 'ada@example.org')
  const at = new Date()
  await app.db.kysely
    .insertInto('desktops')
    .values({
      id: 'adas-desktop',
      cluster_id: clusterId,
      user_id: ada.user.id,
      state: 'running',
      sealed_password: '',
      created_at: at,
      last_activity_at: at,
      last_seen_at: at,
    })
    .execute()
  // What there is when the desktop begins to end.
  await sql`create table seen_at_end (sessions int, ended boolean)`.execute(app.db.kysely)
  await sql`create function see_end() returns trigger language plpgsql as $$ begin
    insert into seen_at_end select (select count(*) from sessions where user_id = new.user_id),
      (select ended_at is not null from trainings where id = ${sql.lit(made.id)});
    return new; end $$`.execute(app.db.kysely)
  await sql`create trigger see_end before update on desktops for each row when (new.state = 'ending')
    execute function see_end()`.execute(app.db.kysely)
  await app.must(calls.remove, { id: made.id }, instructor)
  const seen = await sql`select * from seen_at_end`.execute(app.db.kysely)
  expect(seen.rows).toEqual([{ sessions: 0, ended: true }])
  await sql`drop trigger see_end on desktops`.execute(app.db.kysely)
  expect((await refused('GET', '/api/trainings/own', undefined, ada.token)).status).toBe(401)
})

test('a cluster that was shared before survives a workshop with own clusters', async () => {
  const shared = await cloudRow(app, admin.token)
  await setMachines(app, shared, [machine('head', 'head', '10.0.0.1')])
  const credential = (await rowOf(app, shared)).credential_id ?? ''
  const template = await cloudRow(app, admin.token, { credential })
  const data = { clusterId: shared, seats: 2, twoStep: false }
  const made = await app.must(calls.create, { body: { name: 'Moves', data } }, admin)
  const clustersOf = async () =>
    (await app.must(calls.seats, { id: made.id }, admin)).map(({ clusterId }) => clusterId)
  expect(await clustersOf()).toEqual([shared, shared])
  const own = { ...made, data: { ...made.data, clusterId: template, seatMode: 'own' as const } }
  await app.must(calls.update, { id: made.id, body: own }, admin)
  await login(made, 'ada@example.org')
  expect(await clustersOf()).toEqual([null, null])
  // Even if it were still at a seat.
  const seats = app.db.kysely.updateTable('training_seats').set({ cluster_id: shared })
  await seats.where('training_id', '=', made.id).execute()
  await app.must(calls.end, { id: made.id }, admin)
  await runTask('training-run', { run: await runOf(made.id) })
  expect(await app.must(calls.receipt, { id: made.id }, admin)).toMatchObject({ clusters: [], problems: [] })
  expect((await rowOf(app, shared)).state).toBe('available')
})

test('a workshop that has ended makes no more clusters, and a failed teardown can be tried again', async () => {
  const clusterId = await cloudRow(app, admin.token)
  const data = { clusterId, seats: 2, seatMode: 'own' as const, twoStep: false }
  const { id } = await app.must(calls.create, { body: { name: 'Cut short', data } }, admin)
  await app.must(calls.prepare, { id }, admin)
  const prepare = await runOf(id)
  // The run reads the workshop before it ends.
  await app.db.kysely.updateTable('trainings').set({ ended_at: new Date() }).where('id', '=', id).execute()
  await runTask('training-run', { run: prepare })
  expect(await app.must(calls.view, { id }, admin)).toMatchObject({
    preparation: { state: 'failed', cause: 'This workshop has ended' },
  })
  expect(await app.must(calls.seats, { id }, admin)).toMatchObject([
    { userId: null, clusterId: null },
    { userId: null, clusterId: null },
  ])
  await app.must(calls.end, { id }, admin)
  await runTask('training-run', { run: await runOf(id) })
  expect(await app.must(calls.view, { id }, admin)).toMatchObject({ preparation: { state: 'torn-down' } })
})

test('the receipt counts what was removed before a teardown was interrupted', async () => {
  const made = await create({ seats: 3, twoStep: false })
  await login(made, 'ada@example.org')
  const { user: eve } = await login(made, 'eve@example.org')
  await app.must(calls.end, { id: made.id }, instructor)
  await sql`create function stay() returns trigger language plpgsql as $$ begin
    raise exception 'interrupted'; end $$`.execute(app.db.kysely)
  await sql`create trigger stay before delete on users for each row
    when (old.id = ${sql.lit(eve.id)}) execute function stay()`.execute(app.db.kysely)
  await runTask('training-run', { run: await runOf(made.id) })
  await sql`drop trigger stay on users`.execute(app.db.kysely)
  await app.must(calls.end, { id: made.id }, instructor)
  expect(await app.must(calls.receipt, { id: made.id }, instructor)).toBeNull()
  await runTask('training-run', { run: await runOf(made.id) })
  expect(await app.must(calls.receipt, { id: made.id }, instructor)).toMatchObject({
    participants: 2,
    accountsRemoved: 2,
    problems: [],
  })
})

test('invented registrations keep no one out', async () => {
  const training = await create({ seats: 1, twoStep: false })
  const { sessionCode } = training.data
  await login(training, 'seated@example.org')
  for (let one = 0; one < 6; one++)
    await app.must(trainingLogin.register, {
      body: { fullName: 'Nobody', participantEmail: `nobody${one}@example.org`, sessionCode },
    })
  const registered = await app.must(calls.registrations, { id: training.id }, instructor)
  expect(registered.map(({ participantEmail }) => participantEmail)).toEqual(
    ['nobody5', 'nobody4', 'nobody3', 'nobody2', 'seated'].map((name) => `${name}@example.org`),
  )
})

test('after too many wrong session codes the right one is refused too, until the minute is over', async () => {
  const training = await create({ seats: 2, twoStep: false })
  const person = { fullName: 'Ada', email: 'ada@example.org' }
  const enter = (sessionCode: string) =>
    refused('POST', '/api/auth/login-training', { ...person, sessionCode })
  await enter('AAA-AAA-AAA')
  const key = sql<boolean>`key like 'session code from %'`
  const full = app.db.kysely.updateTable('attempts').set({ count: WRONG_LOGINS_PER_NETWORK_MAX })
  await full.where(key).execute()
  expect((await enter(training.data.sessionCode)).status).toBe(429)
  await app.db.kysely.deleteFrom('attempts').where(key).execute()
  expect((await enter(training.data.sessionCode)).status).toBe(200)
})

test('only an admin chooses this machine for a workshop where self-registered people wait for approval', async () => {
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
  expect(await refused('POST', '/api/trainings/', body, instructor.token)).toMatchObject({
    status: 400,
    fields: { 'data.clusterId': expect.stringContaining('only an admin') },
  })
  await app.must(calls.create, { body }, admin)
  await access('immediately')
  await app.must(calls.create, { body }, instructor)
})

const runTask = async (name: string, payload: unknown): Promise<void> => {
  const handler = app.app.tasks.find(({ task }) => task.name === name)
  const signal = new AbortController().signal
  await handler?.run(payload, {
    id: '1',
    attempt: 1,
    lastAttempt: false,
    signal,
    log: app.app.http.log as never,
  })
}
const runOf = async (trainingId: string): Promise<string> =>
  (
    await app.db.kysely
      .selectFrom('training_runs')
      .select('id')
      .where('training_id', '=', trainingId)
      .where('ended_at', 'is', null)
      .executeTakeFirstOrThrow()
  ).id
