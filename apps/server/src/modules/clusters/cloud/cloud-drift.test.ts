import { api } from '@flotilla/contract/api'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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

// These tests cover changes that someone else makes in the cloud, and how they are noticed.

let app: TestApp
let admin: { id: string; token: string }
beforeAll(async () => {
  app = await testApp({ CLOUD: 'simulated' })
  admin = await app.person('admin', ['admin'])
})
afterAll(() => app.close())

const { log } = testLog()
// Neither handler uses its run.
const run = {} as Run
const view = async (id: string) =>
  CloudCluster.parse(await app.must(api.clusters.view, { id }, { token: admin.token }))
const attention = async (as = admin) =>
  (await app.must(api.dashboard.view, {}, { token: as.token })).attention.filter(
    ({ kind }) => kind === 'drift',
  )

/** Checks for vanished machines in a cloud that lists these. */
const checkMachines = (id: string, there: string[]) =>
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

/** Stores a plan of the cluster as it is now, with this many changes. */
async function setPlan(id: string, changes = 1): Promise<void> {
  const change = {
    action: 'change',
    address: 'a',
    type: 'a',
    what: 'firewall rule SSH',
    dataLoss: false,
    detail: '',
  } as const
  const noPrice = {
    perHour: null,
    perMonth: null,
    currency: 'USD' as const,
    parts: [],
    unpriced: [],
    source: '',
    date: '',
    note: null,
  }
  const plan = {
    madeAt: 1,
    changes: Array.from({ length: changes }, () => change),
    counts: { add: 0, change: changes, replace: 0, destroy: 0 },
    price: noPrice,
    quota: [],
    terms: [],
    stale: false,
    nodes: [],
    madeFrom: madeFrom(await cloudClusterOf(app, id)),
  }
  await store.update(app.db.kysely, id, { plan })
}

/** Marks all machines of the cluster as vanished. */
async function vanish(id: string): Promise<void> {
  const { deployed } = await cloudClusterOf(app, id)
  if (!deployed) throw new Error('The cluster is not deployed')
  const gone = deployed.machines.map((one) => ({ ...one, vanishedAt: 1 }))
  await store.update(app.db.kysely, id, { deployed: { ...deployed, machines: gone } })
}

test('a machine that the cloud no longer has is shown as vanished and does not count as up', async () => {
  const id = await cloudRow(app, admin.token, {
    data: { node: { group } },
    info: { bursting: { mode: 'off' } },
  })
  await setMachines(app, id, machines)
  await checkMachines(id, ['head', 'node1', 'node2'])
  expect(await view(id)).toMatchObject({ drift: 0 })
  // Nothing is concluded if the cloud lists none of our ids.
  await checkMachines(id, ['something', 'else'])
  expect(await view(id)).toMatchObject({ drift: 0 })

  await checkMachines(id, ['head', 'node1'])
  const seen = await view(id)
  expect(seen).toMatchObject({ drift: 1, edited: false })
  expect(seen.machines.map(({ vanishedAt }) => vanishedAt !== undefined)).toEqual([false, false, true])
  // It no longer costs anything.
  expect(seen.price?.parts).toContainEqual(expect.objectContaining({ what: 'node, t3.small', count: 1 }))
  expect(await attention()).toMatchObject([
    { text: 'node2 in Made by a test is gone from the cloud', link: `/clusters/${id}/machines` },
  ])
  const lines = await app.must(api.clusters.logs, { id, type: 'change' }, { token: admin.token })
  expect(lines.at(-1)).toMatchObject({ level: 'warning', text: 'node2 no longer exists in the cloud' })
  // It is still wanted, so Apply changes brings it back. The log mentions it only once.
  expect((await cloudClusterOf(app, id)).up_nodes).toEqual(['node1', 'node2'])
  await checkMachines(id, ['head', 'node1'])
  expect(await app.must(api.clusters.logs, { id, type: 'change' }, { token: admin.token })).toHaveLength(
    lines.length,
  )
  await setMachines(app, id, machines)
  expect(await attention()).toEqual([])
  // A stopped cluster is not checked by the other tests.
  await store.update(app.db.kysely, id, { state: 'stopped' })
})

test('a reclaimed spot node waits for a job if nodes come up on demand', async () => {
  const spot = group.map((one) => ({ ...one, spot: true }))
  const id = await cloudRow(app, admin.token, { data: { node: { group: spot } } })
  await setMachines(app, id, machines)
  await checkMachines(id, ['head', 'node1'])
  expect((await cloudClusterOf(app, id)).up_nodes).toEqual(['node1'])
  const lines = await app.must(api.clusters.logs, { id, type: 'change' }, { token: admin.token })
  expect(lines.at(-1)?.text).toBe('node2 was reclaimed by the cloud')
  await store.update(app.db.kysely, id, { state: 'stopped' })
})

test('the daily check is off until an admin turns it on, and plans only clusters that no one edited', async () => {
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
  // A setting that is not sent keeps its value.
  await app.must(api.settings.setCluster, { body: desktops }, { token: admin.token })
  await check()
  expect(started).toContain(id)
  expect(started).not.toContain(edited)

  // What the plan found is shown until it is applied.
  await setPlan(id)
  await setPlan(edited)
  expect(await view(id)).toMatchObject({ drift: 1 })
  expect(await view(edited)).toMatchObject({ drift: 0, edited: true })
  expect(await attention()).toMatchObject([
    { text: 'Made by a test was changed in the cloud: 1 difference', link: `/clusters/${id}/plan` },
  ])
  // A vanished machine does not hide what the plan found.
  await setPlan(id, 2)
  await vanish(id)
  expect((await attention()).map(({ text }) => text)).toEqual([
    'head in Made by a test is gone from the cloud',
    'Made by a test was changed in the cloud: 2 differences',
  ])
  for (const one of [id, edited]) await store.update(app.db.kysely, one, { state: 'stopped' })
})

describe('changes that a plan found', () => {
  let id: string
  let edit: (tags: Record<string, string>) => Promise<unknown>
  beforeEach(async () => {
    id = await cloudRow(app, admin.token)
    await setMachines(app, id, machines.slice(0, 1))
    const { name, provider, credential_id, info, data } = await view(id)
    edit = (tags) => {
      const cluster = {
        id,
        name,
        provider,
        credential_id: credential_id ?? '',
        info,
        data: { ...data, tags },
      }
      return app.must(
        api.clusters.update,
        { body: cluster, beside: { deletedPkgs: [] } },
        { token: admin.token },
      )
    }
  })
  afterEach(() => store.update(app.db.kysely, id, { state: 'stopped' }))

  test('for an edit do not count as drift, even after the edit is reverted', async () => {
    await edit({ group: 'hpc' })
    await setPlan(id)
    expect(await view(id)).toMatchObject({ drift: 0, edited: true })
    await edit({})
    expect(await view(id)).toMatchObject({ drift: 0, edited: false, hasPlan: true })
    expect(await attention()).toEqual([])
  })

  test('before an edit no longer count as drift, unlike vanished machines', async () => {
    await setPlan(id)
    expect(await view(id)).toMatchObject({ drift: 1 })
    expect(await attention()).toHaveLength(1)
    await edit({ group: 'hpc' })
    expect(await view(id)).toMatchObject({ drift: 0, edited: true })
    expect(await attention()).toEqual([])
    await vanish(id)
    expect(await view(id)).toMatchObject({ drift: 1, edited: true })
    expect(await attention()).toMatchObject([{ text: 'head in Made by a test is gone from the cloud' }])
  })
})

test('drift is shown only to those who look after the cluster', async () => {
  const owner = await app.person('owner', ['admin', 'user'])
  const other = await app.person('other', ['user'])
  const id = await cloudRow(app, owner.token)
  await setMachines(app, id, machines.slice(0, 1))
  await store.update(app.db.kysely, id, { for_everyone: true })
  await setPlan(id)
  expect(await attention()).toHaveLength(1)
  expect(await attention(other)).toEqual([])
  await app.must(
    api.clusters.collaborators,
    { body: { id, collaborators: ['other'] } },
    { token: owner.token },
  )
  expect(await attention(other)).toHaveLength(1)
})
