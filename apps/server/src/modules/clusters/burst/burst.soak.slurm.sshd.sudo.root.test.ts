import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BurstMode } from '@flotilla/contract/clusters/cloud'
import { SPOOL_FOLDER } from '../../../burst/spool'
import { configureSlurm } from '../../../cloud-init/commands'
import { slurmConf } from '../../../cloud-init/slurm-conf'
import { makeBurst } from './burst'
import { query } from '../commands/query'
import { runOn } from '../commands/run-on'
import { everyNode } from '../wanted-nodes'
import { clusterRuns } from '../runs/runs'
import * as store from '../store'
import type * as stored from '../stored-cluster'
import { makeSshKey } from '../../../ssh-key'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import {
  clusterFacts,
  quickBursting,
  startCloudCluster,
  type CloudCluster,
} from '../../../../test/support/machines/cloud-cluster'
import { cloudClusterOf, cloudRow, machine, setMachines } from '../../../../test/support/modules/cloud-row'
import { linkTo, type HeadLink } from '../../../../test/support/machines/head-ssh'
import { testSystem } from '../../../../test/support/app/audit'
import { testLog } from '../../../../test/support/log'
import type { TestMachine } from '../../../../test/support/machines/machines'
import { until } from '../../../../test/support/until'

// These tests run Slurm's own power saving and the console's own loop over a real SSH connection. Only the cloud is
// simulated: its machines are namespaces of this machine.

let app: TestApp
let facts: ReturnType<typeof clusterFacts>
let id: string
let cluster: CloudCluster
let link: HeadLink
let loop: Promise<void>
const over = new AbortController()
const nodes = new Map<string, TestMachine>()
/** Why the cloud currently refuses to provide machines, or null. */
let refusal: string | null = null

beforeAll(async () => {
  app = await testApp({ CLOUD: 'simulated' })
  const owner = await app.person('owner', ['admin'])
  const group = [{ count: 2, instance_id: 't3.small' }]
  id = await cloudRow(app, owner.token, { data: { node: { group, idle_purge_s: 10 } } })
  const key = makeSshKey('console')
  facts = clusterFacts({ bursting: quickBursting(), consoleKeys: [key.publicKey] })
  cluster = await startCloudCluster(facts)
  link = await linkTo(cluster.head, key.privateKey)
  await setMachines(app, id, [machine('head', 'head', cluster.head.address)])
  loop = reconcileLoop()
})
afterAll(async () => {
  over.abort()
  await loop
  await link.close()
  await cluster.stop()
  await app.close()
})

/** Reconciles the cluster repeatedly, as the poller does. */
async function reconcileLoop(): Promise<void> {
  const burst = makeBurst({
    db: app.db,
    possible: async (row) =>
      everyNode(row).map(({ name, group }) => ({ name, group, cores: 1, gpus: 0, memory: 0, perHour: 1 })),
    start: startRun,
    system: testSystem,
    log: testLog().log,
    now: Date.now,
  })
  const { connection } = link
  while (!over.signal.aborted) {
    const row = await cloudClusterOf(app, id)
    if (row.state === 'available') {
      const jobs = await query(connection, connection.scheduler.queue())
      await burst.reconcile({
        cluster: row,
        connection,
        jobs,
        nodes: await query(connection, connection.scheduler.nodes()),
      })
    }
    await sleep(500)
  }
}

/** Stands in for a run: works in the background and stores its outcome. */
async function startRun(row: stored.CloudCluster, names: string[], up: boolean): Promise<void> {
  const action = up ? 'deployNode' : 'destroyNode'
  const run = { action, input: JSON.stringify({ nodes: names }), from_state: 'available' as const }
  const runId = await app.db.transaction(async (tx) => {
    await store.update(tx, id, { state: 'updating' })
    return clusterRuns.insert(tx, id, { actor: null, at: new Date(), ...run })
  })
  const cause = up ? refusal : null
  void (async () => {
    for (const name of cause === null ? names : []) {
      if (up) nodes.set(name, await cluster.node(name))
      else await nodes.get(name)?.powerOff()
      if (!up) nodes.delete(name)
    }
    const machines = [...nodes].map(([name, { address }]) => machine(name, 'node', address))
    await setMachines(app, id, [machine('head', 'head', cluster.head.address), ...machines])
    await clusterRuns.end(app.db.kysely, runId, new Date(), cause)
  })()
  expect(row.state).toBe('available')
}

const outputOf = async (...argv: string[]) => {
  const { code, stdout, stderr } = await cluster.head.run(argv)
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`)
  return stdout.trim()
}
const submit = (file: string, node: string) =>
  outputOf('sbatch', '--parsable', '-w', node, '-o', `/opt/shared/${file}`, '--wrap', 'hostname')
const wrote = (file: string, text: string) =>
  until(async () => (await cluster.head.run(['cat', `/opt/shared/${file}`])).stdout === `${text}\n`)
const stateOf = async (node: string) =>
  /State=(\S+)/.exec(await outputOf('scontrol', '-o', 'show', 'node', node))?.[1] ?? ''
const upNodes = async () =>
  (await cloudClusterOf(app, id)).deployed?.machines
    .filter(({ role }) => role === 'node')
    .map(({ name }) => name)
const log = async () => (await store.logs(app.db.kysely, id, 'burst', 0, undefined)).map(({ text }) => text)

test('a waiting job brings its node up through the spool, runs there, and the node is removed when idle', async () => {
  await submit('first', 'node1')
  await wrote('first', 'node1')
  expect(await upNodes()).toEqual(['node1'])
  await until(async () => (await upNodes())?.length === 0)
  await until(async () => (await stateOf('node1')).includes('POWERED_DOWN'))
  await until(async () => (await outputOf('find', SPOOL_FOLDER, '-type', 'f')) === '')
  const lines = await log()
  expect(lines.join('\n')).toMatch(/nodes brought up: node1 \(requested by Slurm\)/)
  expect(lines.join('\n')).toMatch(/nodes removed: node1 \(no longer needed by Slurm\)/)
})

test('when a node does not come up, Slurm gets the reason, the job waits, and changing the mode retries it', async () => {
  refusal = 'The cloud has no capacity for machines of this size'
  const job = await submit('second', 'node2')
  await until(async () =>
    (await outputOf('sinfo', '-h', '-n', 'node2', '-o', '%E')).includes('no capacity for machines'),
  )
  expect(await outputOf('squeue', '-h', '-j', job, '-o', '%T')).toBe('PENDING')
  refusal = null
  await until(async () => (await stateOf('node2')).includes('POWERED_DOWN'))
  await store.update(app.db.kysely, id, { burst_reset_at: new Date() })
  await until(async () => !(await stateOf('node2')).includes('DRAIN'))
  await outputOf('scontrol', 'update', `jobid=${job}`, 'starttime=now')
  await wrote('second', 'node2')
  expect((await log()).join('\n')).toMatch(/Notified Slurm that node2 did not come up/)
})

test('when bursting was off before, Slurm is notified that nodes are not started, and requests them', async () => {
  await until(async () => (await upNodes())?.length === 0)
  const setMode = async (mode: BurstMode) => {
    const { info } = await cloudClusterOf(app, id)
    const bursting = { mode, burstOnDeploy: true }
    await store.update(app.db.kysely, id, {
      info: { ...info, bursting },
      burst_reset_at: new Date(),
    })
  }
  await setMode('off')
  await runOn(link.connection, configureSlurm(slurmConf({ ...facts, bursting: null })))
  expect(await stateOf('node1')).not.toContain('CLOUD')
  await runOn(link.connection, configureSlurm(slurmConf(facts)))
  await setMode('min')
  await submit('third', 'node1')
  await wrote('third', 'node1')
  expect((await log()).join('\n')).toMatch(/there is no machine for .*node1/)
})
