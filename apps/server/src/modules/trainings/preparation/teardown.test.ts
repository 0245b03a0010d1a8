import { afterAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { trainings as calls } from '@flotilla/contract/trainings/trainings'
import { cloudRow, machine, rowOf, setMachines } from '../../../../test/support/modules/cloud-row'
import { workshopApp } from '../../../../test/support/app/workshop'

const { app, instructor, admin, create, login, runTask, runOf } = await workshopApp()
afterAll(() => app.close())

test('deleting a workshop ends the sessions of its participants before their programs', async () => {
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
  // Records the state at the time when the desktop begins to end.
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
  expect((await app.refused(calls.own, {}, ada)).status).toBe(401)
})

test('a formerly shared cluster survives the teardown of a workshop with own clusters', async () => {
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
  // It survives even if it is still assigned to a seat.
  const seats = app.db.kysely.updateTable('training_seats').set({ cluster_id: shared })
  await seats.where('training_id', '=', made.id).execute()
  await app.must(calls.end, { id: made.id }, admin)
  await runTask('training-run', { run: await runOf(made.id) })
  expect(await app.must(calls.receipt, { id: made.id }, admin)).toMatchObject({ clusters: [], problems: [] })
  expect((await rowOf(app, shared)).state).toBe('available')
})

test('a workshop that has ended creates no more clusters, and a failed teardown can be retried', async () => {
  const clusterId = await cloudRow(app, admin.token)
  const data = { clusterId, seats: 2, seatMode: 'own' as const, twoStep: false }
  const { id } = await app.must(calls.create, { body: { name: 'Cut short', data } }, admin)
  await app.must(calls.prepare, { id }, admin)
  const prepare = await runOf(id)
  // The workshop ends without aborting the run, as if the run had read it before.
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

test('the preflight check compares one cluster per seat with the quotas of the cloud account', async () => {
  const server = { instance_id: 't3.large' }
  const node = { group: [{ count: 2, instance_id: 't3.large' }] }
  const clusterId = await cloudRow(app, admin.token, { data: { server, node } })
  const quotaOf = async (seats: number) => {
    const data = { clusterId, seats, seatMode: 'own' as const, twoStep: false }
    const { id } = await app.must(calls.create, { body: { name: 'Counted', data } }, admin)
    const steps = await app.must(calls.preflight, { id }, admin)
    return steps.find(({ step }) => step === 'Quota')
  }
  expect(await quotaOf(5)).toEqual({
    step: 'Quota',
    state: 'ok',
    message: 'The cloud account’s quotas allow 5 clusters with all nodes',
  })
  // A simulated account has 50 addresses, of which each cluster takes two.
  expect(await quotaOf(40)).toEqual({
    step: 'Quota',
    state: 'failed',
    message:
      'Public addresses: 30 of 80 addresses would not fit. EC2-VPC Elastic IPs: 80 addresses needed, 50 of 50 addresses free.',
  })
})
