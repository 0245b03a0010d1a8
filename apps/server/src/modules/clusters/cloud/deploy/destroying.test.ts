import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testApp, type TestApp } from '../../../../../test/support/app/app'
import { testSystem } from '../../../../../test/support/app/audit'
import { driverWith } from '../../../../../test/support/clouds/cloud-driver'
import { testLog } from '../../../../../test/support/log'
import {
  cloudClusterOf,
  cloudRow,
  machine,
  rowOf,
  setMachines,
} from '../../../../../test/support/modules/cloud-row'
import { until } from '../../../../../test/support/until'
import { createTofu } from '../../../../engines/tofu/tofu'
import { found } from '../../../../providers/found'
import { openMasterKey } from '../../../../secrets/secrets'
import { clusterRuns, makeClusterRuns } from '../../runs/runs'
import * as store from '../../store'
import { makeDestroying } from './destroying'
import { makeRecovery } from './recovery'

// In these tests the cloud still lists what the engine has removed, and the run ends in the meantime.

let app: TestApp
let owner: { id: string; token: string; username: string }
const { log } = testLog()
beforeAll(async () => {
  app = await testApp({ CLOUD: 'simulated' })
  owner = await app.person('ada', ['admin'])
})
afterAll(() => app.close())

const refuse = () => Promise.reject(new Error('a destroy does not need this'))

/** A cluster that is being destroyed: the cloud lists these of its machines. */
async function startDestroy(listed: string[]) {
  const { db, dataDir } = app
  const id = await cloudRow(app, owner.token)
  await setMachines(app, id, [machine('head', 'head', '10.0.0.1'), machine('node1', 'node', '10.0.0.2')])
  await store.update(db.kysely, id, { state: 'destroying' })
  const run = await db.transaction((tx) =>
    clusterRuns.insert(tx, id, {
      actor: owner,
      at: new Date(),
      action: 'destroy',
      input: JSON.stringify({ keepDisks: [] }),
      from_state: 'available',
    }),
  )
  const cloud = { listed, queries: 0 }
  const tofu = createTofu({ program: refuse, pluginCache: path.join(dataDir, 'plugins'), atOnce: 1 })
  const workspace = {
    ...tofu.workspace({ folder: path.join(dataDir, id), environment: {}, passphrase: '' }),
    resources: async () => [],
    plan: async () => ({ changes: true }),
    apply: async () => {},
  }
  const driver = driverWith({
    stop: async () => {},
    find: async () => {
      cloud.queries++
      return cloud.listed.map((name) =>
        found({ id: `i-${name}`, type: 'instance', kind: 'machine', clusterId: id, region: 'us-east-1' }),
      )
    },
  })
  const destroying = makeDestroying({
    db,
    secrets: await openMasterKey(path.join(dataDir, 'master.key')),
    tofu,
    dataDir,
    mode: { priceNote: null, listsDeletedMs: 3600_000, capacityWaitMs: 0 },
    credential: refuse,
    catalog: refuse,
    infrastructure: refuse,
    driver: refuse,
    image: refuse,
    torqueSource: refuse,
    machines: {
      beforeChange: refuse,
      waitUntilReady: refuse,
      maintain: refuse,
      revokeAccess: refuse,
      markStopped: refuse,
      release: async () => {},
      forget: async () => {},
    },
    fastRestore: { set: refuse, end: async () => {}, handler: { task: clusterRuns.task, run: refuse } },
    recovery: makeRecovery(db),
    open: async () => ({
      workspace,
      driver,
      credential: {},
      catalog: null,
      holdsDisks: undefined,
      terms: [],
    }),
    leftovers: { searchAfter: async () => {} },
    now: Date.now,
  })
  const { handler } = makeClusterRuns({
    db,
    attachedSteps: {},
    cloudSteps: {
      destroy: (cluster, context, { keepDisks }) => destroying.destroy(cluster, keepDisks, context),
    },
    poller: { watch: () => {}, unwatch: () => {} },
    system: testSystem,
    now: Date.now,
  })
  return {
    id,
    cloud,
    carryOut: (attempt = 1, signal = new AbortController().signal) =>
      handler.run({ run }, { id: '1', attempt, lastAttempt: false, signal, log }),
  }
}
const machinesOf = async (id: string) =>
  (await cloudClusterOf(app, id)).deployed?.machines.map(({ name }) => name)

test('a canceled destroy ends at once, and what it removed is no longer shown', async () => {
  const { id, cloud, carryOut } = await startDestroy(['node1'])
  const working = carryOut()
  await until(() => cloud.queries > 0)
  await clusterRuns.requestCancel(app.db.kysely, id)
  await working
  expect(await rowOf(app, id)).toMatchObject({ state: 'failed', cause: 'Canceled' })
  expect(await machinesOf(id)).toEqual(['node1'])
  const lines = await store.logs(app.db.kysely, id, 'destroy', 0, undefined)
  expect(lines.map(({ text }) => text)).toContain('Still in the cloud: instance i-node1')
})

test('a destroy that a force destroy takes over leaves the record to it', async () => {
  const { id, cloud, carryOut } = await startDestroy(['node1'])
  const working = carryOut()
  await until(() => cloud.queries > 0)
  await app.db.transaction(async (tx) => {
    await clusterRuns.abort(tx, id, new Date(), 'aborted by a force destroy')
    await store.update(tx, id, { deployed: null })
  })
  await working
  expect(await rowOf(app, id)).toMatchObject({ state: 'destroying', deployed: null })
})

test('a destroy that a server stop interrupts is resumed, and ends when nothing is listed anymore', async () => {
  const { id, cloud, carryOut } = await startDestroy(['node1'])
  const stop = new AbortController()
  const leaving = new Error('The server stops')
  const working = carryOut(1, stop.signal)
  await until(() => cloud.queries > 0)
  stop.abort(leaving)
  await expect(working).rejects.toBe(leaving)
  expect(await machinesOf(id)).toEqual(['head', 'node1'])
  cloud.listed = []
  await carryOut(2)
  expect(await rowOf(app, id)).toMatchObject({ state: 'destroyed', cause: null, deployed: null })
})
