import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import { testSystem } from '../../../../test/support/app/audit'
import { testLog } from '../../../../test/support/log'
import { cloudRow, machine, rowOf, setMachines } from '../../../../test/support/modules/cloud-row'
import type { RunAction } from './run-actions'
import { clusterRuns, makeClusterRuns, type Steps } from './runs'
import * as store from '../store'
import type { StoredCluster } from '../stored-cluster'

let app: TestApp
let owner: { id: string; token: string; username: string }
const { log } = testLog()
beforeAll(async () => {
  app = await testApp({ CLOUD: 'simulated' })
  owner = await app.person('ada', ['admin'])
})
afterAll(() => app.close())

/** Carries out the run in progress on a cluster, and returns the inputs that its steps received. */
async function carryOut(id: string): Promise<unknown[]> {
  const inputs: unknown[] = []
  const receive = async (_cluster: StoredCluster, _run: unknown, input: unknown) => void inputs.push(input)
  const steps: Steps<StoredCluster> = {
    destroy: receive,
    forceDestroy: receive,
    resize: receive,
    fastRestore: receive,
  }
  const { handler } = makeClusterRuns({
    db: app.db,
    attachedSteps: steps,
    cloudSteps: steps,
    poller: { watch: () => {}, unwatch: () => {} },
    system: testSystem,
    now: Date.now,
  })
  const run = await clusterRuns.current(app.db.kysely, id)
  const { signal } = new AbortController()
  await handler.run({ run: run?.id }, { id: '1', attempt: 1, lastAttempt: false, signal, log })
  return inputs
}
/** Stores a run as an older version of the console did. */
const stored = (id: string, action: RunAction, input: object) =>
  app.db.transaction((tx) =>
    clusterRuns.insert(tx, id, {
      actor: owner,
      at: new Date(),
      action,
      input: JSON.stringify(input),
      from_state: 'available',
    }),
  )
const attached = async () => {
  const data = {
    manager: 'none',
    transport: 'local',
    virtualNodes: { prefix: 'n', count: 1, cores: 1 },
  } as const
  const body = { name: 'Attached', data }
  const { id } = await app.must(api.clusters.createLocal, { body }, { token: owner.token })
  await store.update(app.db.kysely, id, { state: 'available' })
  return id
}
const inCloud = async () => {
  const id = await cloudRow(app, owner.token, { data: { disks: [{ name: 'data', size: 50, type: '' }] } })
  await setMachines(app, id, [machine('head', 'head', '10.0.0.1')])
  return id
}

test.each([false, true])(
  'the disks to keep reach the step that destroys, forced: %s',
  async (resetingState) => {
    const id = await inCloud()
    const body = { id, resetingState, keepDisks: ['data'] }
    await app.must(api.clusters.destroy, { body }, { token: owner.token })
    expect(await carryOut(id)).toEqual([{ keepDisks: ['data'] }])
  },
)

test('a cluster is detached, even by a run of an older version, which stored no input', async () => {
  const [now, before] = [await attached(), await attached()]
  await app.must(api.clusters.destroy, { body: { id: now } }, { token: owner.token })
  await stored(before, 'destroy', {})
  for (const id of [now, before]) {
    expect(await carryOut(id)).toEqual([{ keepDisks: [] }])
    expect(await rowOf(app, id)).toMatchObject({ state: 'destroyed', cause: null })
  }
})

test('input that older versions stored and no step reads is ignored', async () => {
  const id = await inCloud()
  await stored(id, 'resize', { size: { groups: 'as they were then' } })
  expect(await carryOut(id)).toEqual([{}])
  expect(await rowOf(app, id)).toMatchObject({ state: 'available', cause: null })
})

test.each([
  ['destroy', { keepDisks: 'data' }],
  ['fastRestore', {}],
] as const)('a run of %s with invalid input fails, and nothing is done', async (action, input) => {
  const id = await inCloud()
  await stored(id, action, input)
  expect(await carryOut(id)).toEqual([])
  expect((await rowOf(app, id)).cause).not.toBeNull()
})
