import { afterAll, beforeAll, expect, it } from 'vitest'
import { api } from '@flotilla/contract/api'
import { testApp, type TestApp } from '../../../test/support/app/app'
import type { WatchRule } from './desktops'

let server: TestApp
let desktop: string
let cluster: string
const people: Record<'ada' | 'grace' | 'eve' | 'boss', { id: string; token: string; username: string }> = {
  ada: { id: '', token: '', username: '' },
  grace: { id: '', token: '', username: '' },
  eve: { id: '', token: '', username: '' },
  boss: { id: '', token: '', username: '' },
}
beforeAll(async () => {
  const graceWatchesAda: WatchRule = {
    mayWatch: async (me, { ownerId, clusterId }) =>
      me.id === people.grace.id && ownerId === people.ada.id && clusterId === cluster,
    notified: async () => [people.grace.id],
  }
  server = await testApp({}, { watchRules: [graceWatchesAda] })
  people.boss = await server.person('theboss', ['admin'])
  people.ada = await server.person('adalove', ['participant'])
  people.grace = await server.person('gracehop', ['instructor'])
  people.eve = await server.person('evelyn', ['instructor'])
  const data = { manager: 'none', transport: 'local', virtualNodes: {} } as const
  ;({ id: cluster } = await server.must(
    api.clusters.createLocal,
    { body: { name: 'Ganymede', data } },
    { token: people.boss.token },
  ))
  desktop = 'd'.repeat(20)
  const at = new Date()
  const times = { created_at: at, last_activity_at: at, last_seen_at: at }
  await server.db.kysely
    .insertInto('desktops')
    .values({
      id: desktop,
      cluster_id: cluster,
      user_id: people.ada.id,
      state: 'running',
      sealed_password: '',
      ...times,
    })
    .execute()
})
afterAll(() => server.close())

const view = () => ({ id: desktop, body: { mode: 'view' as const } })

it('lets users watch whom a rule names, and admins with the admin scope', async () => {
  await server.must(api.desktops.ticket, view(), { token: people.grace.token })
  expect(await server.must(api.desktops.view, { id: desktop }, { token: people.grace.token })).toMatchObject({
    owner: 'Ada Lovelace',
    viewers: [],
  })
  const boss = { token: people.boss.token }
  expect((await server.refused(api.desktops.ticket, view(), boss)).status).toBe(403)
  await server.must(api.desktops.ticket, view(), { ...boss, admin: true })
  expect((await server.refused(api.desktops.ticket, view(), { token: people.eve.token })).status).toBe(404)
  // A watcher's own list contains only their own desktops.
  expect(await server.must(api.desktops.list, {}, { token: people.grace.token })).toEqual([])
})

it('lists the desktops of a workshop for other modules', async () => {
  const { ada, eve } = people
  expect(await server.app.desktops.listOf({ userIds: [ada.id, eve.id] })).toMatchObject([{ ownerId: ada.id }])
  expect(await server.app.desktops.listOf({ userIds: [eve.id] })).toEqual([])
})

it('stores only hashes of tickets and removes expired ones', async () => {
  const { ticket } = await server.must(api.desktops.ticket, view(), { token: people.grace.token })
  const stored = () => server.db.kysely.selectFrom('desktop_tickets').selectAll().execute()
  const before = await stored()
  expect(before.length).toBeGreaterThan(0)
  expect(JSON.stringify(before)).not.toContain(ticket)
  server.advance(31_000)
  await server.app.sweep()
  expect(await stored()).toEqual([])
  // Its cluster was never deployed, so there is nothing to end.
  expect(await server.app.desktops.listOf({ userIds: [people.ada.id] })).toEqual([])
})
