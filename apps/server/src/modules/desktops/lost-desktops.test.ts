import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { users } from '@flotilla/contract/people/users'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { until } from '../../../test/support/until'

// The cluster is unreachable, so that desktops stay in the state in which the console begins to end them.

let app: TestApp
let admin: { token: string }
let clusterId: string
beforeAll(async () => {
  app = await testApp()
  admin = await app.person('chief', ['admin'])
  const head = { host: '127.0.0.1', port: 1, username: 'operator' }
  const body = { name: 'Far', data: { manager: 'slurm' as const, transport: 'ssh' as const, head } }
  clusterId = (await app.must(clusters.createLocal, { body }, admin)).id
  await app.db.kysely
    .updateTable('clusters')
    .set({ state: 'available' })
    .where('id', '=', clusterId)
    .execute()
  await sql`create table endings (desktop text, sessions int, person boolean)`.execute(app.db.kysely)
  await sql`create function note_ending() returns trigger language plpgsql as $$ begin
    insert into endings select new.id, (select count(*) from sessions where user_id = new.user_id),
      exists (select from users where id = new.user_id);
    return new; end $$`.execute(app.db.kysely)
  await sql`create trigger note_ending before update on desktops for each row 
    when (new.state = 'ending' and old.state <> 'ending')
    execute function note_ending()`.execute(app.db.kysely)
})
afterAll(() => app.close())

const share = (collaborators: string[]) =>
  app.must(clusters.collaborators, { body: { id: clusterId, collaborators } }, admin)
const desktopOf = async (userId: string, on = clusterId): Promise<void> => {
  const at = new Date()
  await app.db.kysely
    .insertInto('desktops')
    .values({
      id: `desktop-of-${userId}`,
      cluster_id: on,
      user_id: userId,
      state: 'running',
      sealed_password: '',
      created_at: at,
      last_activity_at: at,
      last_seen_at: at,
    })
    .execute()
}
const endings = async (userId: string) =>
  (
    await sql`select sessions, person from endings where desktop = ${`desktop-of-${userId}`}`.execute(
      app.db.kysely,
    )
  ).rows

test('ends as soon as its user loses access to the cluster', async () => {
  const ada = await app.person('adalove', ['user'])
  await share(['adalove'])
  await desktopOf(ada.id)
  await share([])
  // Every server does this when it is notified.
  app.app.identityChanged(ada.id)
  await until(async () => (await endings(ada.id)).length > 0)
  expect(await endings(ada.id)).toMatchObject([{ person: true }])
})

test('begins to end before its user declines the cluster, while the console may still act as them', async () => {
  const [owner, uma] = [await app.person('plainowner', ['user']), await app.person('umami', ['user'])]
  const head = { host: '127.0.0.1', port: 1, username: 'operator' }
  const data = { manager: 'slurm' as const, transport: 'ssh' as const, head }
  const body = { name: 'Offered', data, collaborators: ['umami'] }
  const { id } = await app.must(clusters.createLocal, { body }, admin)
  await app.db.kysely
    .updateTable('clusters')
    .set({ owner_id: owner.id, state: 'available' })
    .where('id', '=', id)
    .execute()
  await desktopOf(uma.id, id)
  await sql`create function note_shares() returns trigger language plpgsql as $$ begin
    insert into shares_at_end select count(*) from cluster_collaborators where user_id = new.user_id;
    return new; end $$`.execute(app.db.kysely)
  await sql`create table shares_at_end (shares int)`.execute(app.db.kysely)
  await sql`create trigger note_shares before update on desktops for each row
    when (new.state = 'ending' and old.state <> 'ending') execute function note_shares()`.execute(
    app.db.kysely,
  )
  await app.must(clusters.accept, { id, body: { accept: false } }, uma)
  expect(await endings(uma.id)).toHaveLength(1)
  expect((await sql`select shares from shares_at_end`.execute(app.db.kysely)).rows).toEqual([{ shares: 1 }])
})

test('ends before its user is removed, after their sessions have ended', async () => {
  const eve = await app.person('evelyn', ['user'])
  await share(['evelyn'])
  await desktopOf(eve.id)
  await app.must(users.remove, { body: { id: eve.id } }, { ...admin, admin: true })
  expect(await endings(eve.id)).toEqual([{ sessions: 0, person: true }])
})

test('ends when the account of its user expires', async () => {
  const max = await app.person('maximilian', ['user'])
  await share(['maximilian'])
  await desktopOf(max.id)
  const ended = app.db.kysely.updateTable('users').set({ end_time: new Date(Date.now() - 1000) })
  await ended.where('id', '=', max.id).execute()
  app.app.identityChanged(max.id)
  await until(async () => (await endings(max.id)).length > 0)
  expect(await endings(max.id)).toMatchObject([{ person: true }])
})
