import { afterAll, expect, test } from 'vitest'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { trainings as calls } from '@flotilla/contract/trainings/trainings'
import { cloudRow, machine, setMachines } from '../../../../test/support/modules/cloud-row'
import { workshopApp } from '../../../../test/support/app/workshop'
import { notAcceptedReason } from '../../clusters/connection/acceptance'
import { findAny } from '../../clusters/store'

const { app, instructor, admin, create, login } = await workshopApp()
afterAll(() => app.close())

test('a participant sees the cluster of their seat and no other', async () => {
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
  expect((await app.refused(clusters.view, { id: open.id }, ada)).status).toBe(404)
  expect((await app.must(clusters.view, { id: own.id }, ada)).id).toBe(own.id)
  const others = await create({ twoStep: false })
  expect((await app.refused(calls.view, { id: others.id }, ada)).status).toBe(404)
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

test('a seat gives access only to a cluster that the owner of the workshop may use', async () => {
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
  expect((await app.refused(clusters.view, { id: lent.id }, ada)).status).toBe(404)
  expect((await app.refused(clusters.queue, { id: lent.id }, ada)).status).toBe(404)
  // An admin cannot choose the cluster on the owner's behalf either.
  const other = await create({ twoStep: false })
  const moved = { ...other, data: { ...other.data, clusterId: lent.id } }
  const edit = await app.refused(
    calls.update,
    { id: other.id, body: moved },
    { token: admin.token, admin: true },
  )
  expect(edit).toMatchObject({
    status: 400,
    fields: { 'data.clusterId': expect.stringContaining('teacher, the owner of this workshop') },
  })
  await share(['teacher'])
  expect(await seen()).toEqual([lent.id])
})

test('a cluster that the workshop created stays accessible from its seat', async () => {
  const clusterId = await cloudRow(app, admin.token)
  const made = await create({ twoStep: false })
  const ada = await login(made, 'ada@example.org')
  const seats = app.db.kysely.updateTable('training_seats').where('training_id', '=', made.id)
  await seats.set({ cluster_id: clusterId }).execute()
  expect(await app.must(clusters.participant, {}, ada)).toEqual([])
  await seats.set({ own_cluster: true }).execute()
  expect((await app.must(clusters.participant, {}, ada)).map(({ id }) => id)).toEqual([clusterId])
})

test("participants do not see other users' jobs, logs and activities on their cluster", async () => {
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
  // A directory may spell eve's account in upper case; the other account belongs to a different user.
  const [ofEve, ofOther] = [eve.user.username.toUpperCase(), `${ada.user.username}@elsewhere`]
  const other = await app.person('elsewhere', ['user'])
  await app.db.kysely.updateTable('users').set({ unix_account: ofOther }).where('id', '=', other.id).execute()
  const users = [ada.user.username, ofEve, 'researcher', ofOther]
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
  expect(await queueOf(instructor)).toMatchObject({ total: 4 })
  expect((await nodeOf(eve)).jobs.map(({ user }) => user)).toEqual([ofEve])
  expect((await nodeOf(instructor)).jobs).toHaveLength(4)

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

test('participants do not see the connection settings of a head node', async () => {
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
  // A seat's programs are ended as its account, which never had to accept the cluster.
  const found = await findAny(app.db.kysely, clusterId)
  expect(found && (await notAcceptedReason(app.db.kysely, found, { id: ada.user.id }))).toBeNull()
})
