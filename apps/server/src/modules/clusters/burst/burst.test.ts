import { api } from '@flotilla/contract/api'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import { setFaults } from '@flotilla/simulated-cloud/world/faults'
import { makeCloudCluster, untilState, world } from '../../../../test/support/console/cloud'
import { Console } from '../../../../test/support/console/console'
import { soakIt } from '../../../../test/support/soak'
import { until } from '../../../../test/support/until'

// Automatic bursting on the simulated cloud: its machines run real jobs.

let server: Console
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated' } })
  // The simulated cloud installs nothing, but rejects Torque without a package source like any other cloud.
  await server.must(
    api.settings.setTorqueSource,
    {
      body: {
        file: 'deb [trusted=yes] https://repo.example.org/torque stable main\n',
        key: '',
        headPackages: ['torque-server'],
        nodePackages: ['torque-mom'],
      },
    },
    { token: server.admin },
  )
})
afterAll(() => server.stop())

type Given = { mode: string; idleS?: number; count?: number; manager?: string; burstOnDeploy?: boolean }
async function cluster({ mode, idleS = 0, count = 2, manager = 'torque', burstOnDeploy = false }: Given) {
  const size = { instance_id: 't3.large' }
  const { id } = await makeCloudCluster(server, 'aws', {
    name: `Burst ${mode}`,
    info: { 'os-type': 'ubuntu-22.04', bursting: { burstOnDeploy, mode } },
    data: { manager, node: { group: [{ count, ...size }], volume_size: 50, idle_purge_s: idleS } },
  })
  await server.act(id, 'deploy')
  await untilState(server, id, 'available')
  return id
}
const clusterOf = async (id: string) => CloudCluster.parse(await server.cluster(id))
const nodesOf = async (id: string) =>
  (await clusterOf(id)).machines.filter(({ role }) => role === 'node').map(({ name }) => name)
const nodesAre = (id: string, ...names: string[]) =>
  until(
    async () =>
      (await clusterOf(id)).info.state === 'available' && (await nodesOf(id)).join() === names.join(),
  )
const logOf = async (id: string, type = 'burst') =>
  (await server.must(api.clusters.logs, { id, type }, { token: server.admin })).map(({ text }) => text)
const setMode = (id: string, mode: 'off' | 'min' | 'max' | 'always') =>
  server.must(api.lifecycle.burstMode, { body: { clusterId: id, mode } }, { token: server.admin })
const jobs = { script: 'hostname; sleep 1', walltime: '00:01:00' }

describe('min', () => {
  let id: string
  beforeAll(async () => {
    id = await cluster({ mode: 'min', idleS: 3, count: 3 })
  })

  test('a cluster can start without nodes and lists the possible ones', async () => {
    expect(await nodesOf(id)).toEqual([])
    // They appear with the first poll of the cluster.
    await until(async () => (await clusterOf(id)).nodes.total === 3)
    const { nodes, largestNode } = await clusterOf(id)
    expect(nodes).toMatchObject({ total: 3, offline: 3 })
    expect(largestNode.cores).toBe(2)
  })

  test('a waiting job gets the nodes that it needs and runs there, and they are removed again', async () => {
    const job = await server.submit(id, { ...jobs, nodes: 2 })
    const ended = await server.ended(job.id)
    expect(ended).toMatchObject({ state: 'completed', nodeList: 'node1,node2' })
    await nodesAre(id)
    expect((await world(server, 'aws')).filter(({ kind }) => kind === 'machine')).toHaveLength(1)
    // The last line is logged after the removal.
    const log = await until(async () => {
      const lines = await logOf(id)
      return /(is|are) gone/.test(lines.at(-1) ?? '') ? lines : null
    })
    expect(log[0]).toMatch(/nodes brought up: node1, node2 \(1 job is waiting for 2 nodes\)/)
    expect(log.join('\n')).toMatch(/node1, node2 are up/)
  })

  test('actions of the console itself are in the audit trail without a user', async () => {
    const done = await server.must(api.clusters.activities, { id }, { token: server.admin })
    expect(done).toContainEqual(
      expect.objectContaining({ actor: null, action: 'burst: nodes brought up', detail: expect.any(String) }),
    )
  })

  soakIt('a node that comes back accepts jobs again', async () => {
    const ended = await server.ended((await server.submit(id, jobs)).id)
    expect(ended).toMatchObject({ state: 'completed', nodeList: 'node1' })
  })

  soakIt('a job that no node could run shows the reason', async () => {
    const job = await server.submit(id, { ...jobs, cores: 64 })
    const blocked = await server.reached(job.id, ['blocked'])
    expect(blocked.reason).toMatch(/never/)
    await nodesAre(id)
  })
})

soakIt('max brings up the whole group for one job', async () => {
  const id = await cluster({ mode: 'max' })
  await server.ended((await server.submit(id, jobs)).id)
  // Nodes stay if no idle time is set.
  await nodesAre(id, 'node1', 'node2')
  expect((await logOf(id))[0]).toContain('the whole group is brought up')
})

soakIt('the mode can be changed: off brings up nothing, always brings up all', async () => {
  const id = await cluster({ mode: 'min' })
  await setMode(id, 'off')
  const job = await server.submit(id, jobs)
  const waiting = await until(async () => {
    const now = await server.submission(job.id)
    return now.reason ? now : null
  })
  expect(waiting).toMatchObject({ state: 'queued', reason: 'Waiting for nodes that are not started' })
  expect((await clusterOf(id)).edited).toBe(false)
  await setMode(id, 'always')
  await server.ended(job.id)
  await nodesAre(id, 'node1', 'node2')
  // A drain by an older version counts as the console's own and is undone; a drain by a user stays.
  const drain = (node: string, reason: string) =>
    server.must(api.clusters.drain, { id, body: { nodes: [node], reason } }, { token: server.admin })
  await drain('node2', 'bad fan')
  await drain('node1', 'Flotilla: it idled and is taken away')
  await until(async () => {
    const { nodes } = await clusterOf(id)
    return nodes.available === 1 && nodes.offline === 1
  })
})

soakIt(
  'bursting pauses with a reason after the cloud refuses three times; changing the mode tries again',
  async () => {
    const id = await cluster({ mode: 'min' })
    const dir = path.join(server.dataDir, 'simulated')
    await setFaults(dir, { [id]: { fault: 'quota', times: 100 } })
    const job = await server.submit(id, jobs)
    const reason = await until(async () => (await clusterOf(id)).burstPaused)
    expect(reason).toMatch(/group 1 are brought up after 3 failures in a row.*quota|limit/i)
    expect(await nodesOf(id)).toEqual([])
    expect((await logOf(id)).filter((text) => text.startsWith('Failed'))).toHaveLength(3)
    await setFaults(dir, {})
    await setMode(id, 'min')
    expect(await server.ended(job.id)).toMatchObject({ state: 'completed' })
    expect((await clusterOf(id)).burstPaused).toBeNull()
  },
)

soakIt('bursting does not apply a pending edit', async () => {
  const id = await cluster({ mode: 'min', burstOnDeploy: true, count: 1 })
  const { name, description, provider, credential_id, stack_id, info, data } = await clusterOf(id)
  const group = data.node.group.map((one) => ({ ...one, count: 2 }))
  const edited = { id, name, description, provider, credential_id: credential_id ?? '', stack_id, info }
  const body = { ...edited, data: { ...data, node: { ...data.node, group } } }
  await server.must(api.clusters.update, { body }, { token: server.admin })
  expect(await until(async () => (await clusterOf(id)).burstPaused)).toMatch(/edited/)
  expect(await nodesOf(id)).toEqual(['node1'])
  await server.act(id, 'deploy')
  await untilState(server, id, 'available')
  await until(async () => (await clusterOf(id)).burstPaused === null)
})
