import { api } from '@flotilla/contract/api'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { found } from '../../../providers/found'
import type { Run } from '../../../queue/task'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import { testSystem } from '../../../../test/support/app/audit'
import { driverWith } from '../../../../test/support/clouds/cloud-driver'
import { cloudClusterOf, cloudRow, machine, setMachines } from '../../../../test/support/modules/cloud-row'
import { testLog } from '../../../../test/support/log'
import * as store from '../store'
import { madeFrom } from '../wanted-nodes'
import { driftHandler } from './drift'
import { makeVanished } from './machines/vanished'

// What someone else does in the cloud, and how it is noticed.

let app: TestApp
let admin: { id: string; token: string }
beforeAll(async () => {
  app = await testApp({ CLOUD: 'simulated' })
  admin = await app.person('admin', ['admin'])
})
afterAll(() => app.close())

const { log } = testLog()
// Neither looks at its run.
const run = {} as Run
const view = async (id: string) =>
  CloudCluster.parse(await app.must(api.clusters.view, { id }, { token: admin.token }))
const attention = async () =>
  (await app.must(api.dashboard.view, {}, { token: admin.token })).attention.filter(
    ({ kind }) => kind === 'drift',
  )

/** A look at a cloud that has these machines. */
const look = (id: string, there: string[]) =>
  makeVanished({
    db: app.db,
    credential: async () => ({ provider: 'aws', data: {} }),
    driver: async () =>
      driverWith({
        find: async () =>
          there.map((name) =>
            found({ id: `i-${name}`, type: 'instance', kind: 'machine', clusterId: id, region: 'us-east-1' }),
          ),
      }),
    mode: {
      priceNote: null,
      listsDeletedMs: 0,
      capacityWaitMs: 0,
    },
    system: testSystem,
    log,
    now: Date.now,
  }).handler.run({}, run)

const machines = ['head', 'node1', 'node2'].map((name, at) =>
  machine(name, at === 0 ? 'head' : 'node', `10.0.0.${at + 1}`),
)
const group = [{ count: 2, instance_id: 't3.small' }]

test('a machine that the cloud no longer has is shown as such, and counts as not up', async () => {
  const id = await cloudRow(app, admin.token, {
    data: { node: { group } },
    info: { bursting: { mode: 'off' } },
  })
  await setMachines(app, id, machines)
  await look(id, ['head', 'node1', 'node2'])
  expect(await view(id)).toMatchObject({ drift: 0 })
  // Ids that none of ours is among say nothing.
  await look(id, ['something', 'else'])
  expect(await view(id)).toMatchObject({ drift: 0 })

  await look(id, ['head', 'node1'])
  const seen = await view(id)
  expect(seen).toMatchObject({ drift: 1, edited: false })
  expect(seen.machines.map(({ vanishedAt }) => vanishedAt !== undefined)).toEqual([false, false, true])
  // It costs nothing anymore.
  expect(seen.price?.parts).toContainEqual(expect.objectContaining({ what: 'node, t3.small', count: 1 }))
  expect(await attention()).toMatchObject([
    { text: 'node2 in Made by a test is gone from the cloud', link: `/clusters/${id}/machines` },
  ])
  const lines = await app.must(api.clusters.logs, { id, type: 'change' }, { token: admin.token })
  expect(lines.at(-1)).toMatchObject({ level: 'warning', text: 'node2 no longer exists in the cloud' })
  // Apply brings it back: it is still wanted. Once is enough to say so.
  expect((await cloudClusterOf(app, id)).up_nodes).toEqual(['node1', 'node2'])
  await look(id, ['head', 'node1'])
  expect(await app.must(api.clusters.logs, { id, type: 'change' }, { token: admin.token })).toHaveLength(
    lines.length,
  )
  await setMachines(app, id, machines)
  expect(await attention()).toEqual([])
  // The next looks are at other clouds.
  await store.update(app.db.kysely, id, { state: 'stopped' })
})

test('spot machines that are taken back wait for a job where nodes come up as needed', async () => {
  const spot = group.map((one) => ({ ...one, spot: true }))
  const id = await cloudRow(app, admin.token, { data: { node: { group: spot } } })
  await setMachines(app, id, machines)
  await look(id, ['head', 'node1'])
  expect((await cloudClusterOf(app, id)).up_nodes).toEqual(['node1'])
  const lines = await app.must(api.clusters.logs, { id, type: 'change' }, { token: admin.token })
  expect(lines.at(-1)?.text).toBe('node2 was reclaimed by the cloud')
  await store.update(app.db.kysely, id, { state: 'stopped' })
})

test('the daily check is off until an admin turns it on, and plans only what no one edited', async () => {
  const started: string[] = []
  const check = async () => {
    const clusters = { start: async ({ id }: { id: string }) => void started.push(id) }
    const isOn = async () => (await app.must(api.settings.site, {}, { token: admin.token })).driftCheck
    await driftHandler({ db: app.db, clusters, isOn, log }).run({}, run)
  }
  const id = await cloudRow(app, admin.token)
  const edited = await cloudRow(app, admin.token)
  for (const one of [id, edited]) await setMachines(app, one, machines.slice(0, 1))
  const { data } = await cloudClusterOf(app, edited)
  await store.update(app.db.kysely, edited, { data: { ...data, tags: { group: 'hpc' } } })
  await check()
  expect(started).toEqual([])
  const desktops = { vncTokenAuthentication: true, vncRemoteClient: false }
  const turned = await app.must(
    api.settings.setCluster,
    { body: { ...desktops, driftCheck: true } },
    { token: admin.token },
  )
  expect(turned.driftCheck).toBe(true)
  // Left out, it stays.
  await app.must(api.settings.setCluster, { body: desktops }, { token: admin.token })
  await check()
  expect(started).toContain(id)
  expect(started).not.toContain(edited)

  // What the plan finds is told until it is applied.
  const change = {
    action: 'change',
    address: 'a',
    type: 'a',
    what: 'firewall rule SSH',
    dataLoss: false,
    detail: '',
  } as const
  const plan = {
    madeAt: 1,
    changes: [change],
    counts: { add: 0, change: 1, replace: 0, destroy: 0 },
    price: {
      perHour: null,
      perMonth: null,
      currency: 'USD' as const,
      parts: [],
      unpriced: [],
      source: '',
      date: '',
      note: null,
    },
    quota: [],
    terms: [],
    stale: false,
    nodes: [],
  }
  await store.update(app.db.kysely, id, {
    plan: { ...plan, madeFrom: madeFrom(await cloudClusterOf(app, id)) },
  })
  await store.update(app.db.kysely, edited, {
    plan: { ...plan, madeFrom: madeFrom(await cloudClusterOf(app, edited)) },
  })
  expect(await view(id)).toMatchObject({ drift: 1 })
  expect(await view(edited)).toMatchObject({ drift: 0, edited: true })
  expect(await attention()).toMatchObject([
    { text: 'Made by a test was changed in the cloud: 1 difference', link: `/clusters/${id}/plan` },
  ])
  // A vanished machine does not hide what the plan found.
  await store.update(app.db.kysely, id, {
    plan: { ...plan, changes: [change, change], madeFrom: madeFrom(await cloudClusterOf(app, id)) },
  })
  const { deployed } = await cloudClusterOf(app, id)
  if (!deployed) throw new Error('It was deployed')
  const gone = deployed.machines.map((one) => ({ ...one, vanishedAt: 1 }))
  await store.update(app.db.kysely, id, { deployed: { ...deployed, machines: gone } })
  expect((await attention()).map(({ text }) => text)).toEqual([
    'head in Made by a test is gone from the cloud',
    'Made by a test was changed in the cloud: 2 differences',
  ])
})
