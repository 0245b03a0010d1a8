import { api } from '@flotilla/contract/api'
import type { Sent } from '@flotilla/contract/endpoint'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import { setFaults } from '@flotilla/simulated-cloud/world/faults'
import { makeCloudCluster, untilState, world } from '../../../../../test/support/console/cloud'
import { Console } from '../../../../../test/support/console/console'

let server: Console
let id: string
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated' } })
  id = (await makeCloudCluster(server, 'aws')).id
  await server.act(id, 'deploy')
  await untilState(server, id, 'available')
})
afterAll(() => server.stop())

const as = () => ({ token: server.admin })
const { deployNode, destroyNode, addDisk, resize, cancel } = api.lifecycle
const onNode = (node: string) => ({ body: { cluster: id, nodes: [node] } })
const names = async () => CloudCluster.parse(await server.cluster(id)).machines.map(({ name }) => name)
const machinesInWorld = async () => (await world(server, 'aws')).filter(({ kind }) => kind === 'machine')

test('nodes are removed and brought back by name, and no other node is affected', async () => {
  const before = await machinesInWorld()
  await server.must(destroyNode, onNode('node1'), as())
  await untilState(server, id, 'available')
  expect(await names()).toEqual(['head', 'node2'])
  const left = await machinesInWorld()
  expect(before.map((one) => one.id)).toEqual(expect.arrayContaining(left.map((one) => one.id)))
  expect((await server.refused(destroyNode, onNode('node1'), as())).status).toBe(409)
  expect((await server.refused(deployNode, onNode('node9'), as())).status).toBe(400)
  await server.must(deployNode, onNode('node1'), as())
  await untilState(server, id, 'available')
  expect(await names()).toEqual(['head', 'node1', 'node2'])
})

test('a job on a node that is removed ends', async () => {
  const { id: job } = await server.submit(id, { script: 'sleep 600', nodes: 2 })
  await server.reached(job, ['running'])
  await server.must(destroyNode, onNode('node2'), as())
  await untilState(server, id, 'available')
  const { state } = await server.reached(job, ['completed', 'failed', 'canceled', 'lost'])
  expect(state).not.toBe('completed')
  await server.must(deployNode, onNode('node2'), as())
  await untilState(server, id, 'available')
})

test('disks are added to the head node, and are kept on request', async () => {
  const disks = [{ name: 'data', size: 20, type: '' }]
  await server.must(addDisk, { body: { id, disks } }, as())
  await untilState(server, id, 'available')
  expect((await server.refused(addDisk, { body: { id, disks } }, as())).status).toBe(400)
  const found = await server.must(api.lifecycle.resources, { id }, { token: server.admin })
  expect(found).toEqual(expect.arrayContaining([expect.objectContaining({ kind: 'volume', sizeGb: 20 })]))
})

test('machines are resized and keep their data', async () => {
  const before = (await machinesInWorld()).map((one) => one.id).toSorted()
  const size = { server: { instance_id: 't3.xlarge' }, groups: [{ group: 0, count: 3 }] }
  await server.must(resize, { body: { id, size } }, as())
  const { machines } = await untilState(server, id, 'available')
  expect(machines.map(({ name }) => name)).toEqual(['head', 'node1', 'node2', 'node3'])
  expect(machines[0]?.instance_id).toBe('t3.xlarge')
  expect((await machinesInWorld()).map((one) => one.id)).toEqual(expect.arrayContaining(before))
})

test('values beyond the limits are rejected at their fields', async () => {
  const { provider, credential_id, data } = await makeCloudCluster(server, 'oracle')
  const [group] = data.node.group
  const beyond = {
    name: 'Too large',
    provider,
    credential_id: credential_id ?? '',
    info: { 'os-type': 'ubuntu-22.04' as const },
    data: {
      ...data,
      server: { ...data.server, instance_id: 'VM.Standard3.Flex', ocpus: 33 },
      node: { ...data.node, group: [{ ...group, instance_id: 'VM.Standard.E4.Flex', mem: 1025 }] },
    },
  }
  expect(await server.refused(api.clusters.create, { body: beyond }, as())).toMatchObject({
    status: 400,
    fields: {
      'data.server.ocpus': 'At most 32 OCPUs on VM.Standard3.Flex',
      'data.node.group.0.mem': 'At most 1024 GB on VM.Standard.E4.Flex',
    },
  })
})

test('too many tags and nodes are rejected at their fields', async () => {
  const { provider, credential_id, data } = await makeCloudCluster(server, 'oracle')
  const made = { name: 'Endless', provider, credential_id: credential_id ?? '' }
  const cluster = { ...made, info: { 'os-type': 'ubuntu-22.04' as const } }
  const tagged = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag${index}`, 'x']))
  type Data = Sent<typeof api.clusters.create>['body']['data']
  const sent = (given: Data) => ({ body: { ...cluster, data: { ...data, ...given } } })
  const { create } = api.clusters
  expect(await server.refused(create, sent({ tags: tagged(51) }), as())).toMatchObject({
    status: 400,
    fields: { 'data.tags': 'At most 50 tags' },
  })
  const [group] = data.node.group
  const groups = (count: number) => Array.from({ length: count }, () => ({ ...group, count: 1000 }))
  const many = sent({ node: { ...data.node, group: groups(20) } })
  expect(await server.refused(create, many, as())).toMatchObject({
    status: 400,
    fields: { 'data.node.group.5.count': expect.stringContaining('At most 5000 nodes') },
  })
  await server.must(create, sent({ tags: tagged(50) }), as())
})

test.each(['x.evil.com/#', 'us-east-1.evil.com', 'a/../b', 'eu west', '-eu'])(
  'a region that could point to another host is rejected: %s',
  async (region_id) => {
    const { provider, credential_id, info, data } = CloudCluster.parse(await server.cluster(id))
    const network = { ...data.network, region_id }
    const elsewhere = { name: 'Elsewhere', provider, credential_id: credential_id ?? '', info }
    const cluster = { ...elsewhere, data: { ...data, network } }
    expect(await server.refused(api.clusters.create, { body: cluster }, as())).toMatchObject({
      status: 400,
      fields: { 'data.network.region_id': 'Enter a region such as eu-west-1' },
    })
  },
)

test('an edited cluster is marked as edited, planned, and applied', async () => {
  const cluster = CloudCluster.parse(await server.cluster(id))
  const { name, description, provider, credential_id, stack_id, info, data } = cluster
  const edited = {
    id,
    name,
    description,
    provider,
    credential_id: credential_id ?? '',
    stack_id,
    info,
    data: { ...data, tags: { group: 'hpc' } },
  }
  const disks = data.disks.map((disk) => ({ ...disk, size: 10 }))
  const smaller = { ...edited, data: { ...data, disks } }
  expect(await server.refused(api.clusters.update, { body: smaller }, as())).toMatchObject({
    status: 400,
    fields: { 'data.disks': expect.stringContaining('smaller') },
  })
  const network = { ...data.network, region_id: 'eu-west-1', zone_id: 'eu-west-1a' }
  const moved = { ...edited, data: { ...data, network } }
  expect(await server.refused(api.clusters.update, { body: moved }, as())).toMatchObject({
    fields: {
      'data.network.region_id': expect.stringContaining('Not possible while'),
      'data.network.zone_id': expect.stringContaining('Not possible while'),
    },
  })
  await server.must(api.clusters.update, { body: edited }, as())
  expect(CloudCluster.parse(await server.cluster(id)).edited).toBe(true)
  await server.act(id, 'deploy', { onlyplan: true })
  await untilState(server, id, 'available')
  const plan = await server.must(api.lifecycle.plan, { id }, { token: server.admin })
  expect(plan?.counts).toMatchObject({ add: 0, replace: 0, destroy: 0 })
  await server.act(id, 'deploy')
  expect((await untilState(server, id, 'available')).edited).toBe(false)
})

test('costs are shown, and missing prices are listed', async () => {
  const { price } = CloudCluster.parse(await server.cluster(id))
  expect(price?.perHour).toBeGreaterThan(0)
  expect(price?.note).toBe('estimate, not billed')
  expect(price?.unpriced.length).toBeGreaterThan(0)
})

test('a kept disk stays in the cloud when everything else is destroyed, and is found as a leftover', async () => {
  await server.act(id, 'destroy', { keepDisks: ['data'] })
  await untilState(server, id, 'destroyed')
  const [kept, ...others] = await world(server, 'aws')
  expect(kept?.kind).toBe('volume')
  expect(others).toEqual([])
  // With the cluster deleted, only the search in the cloud can find the disk.
  await server.must(api.clusters.remove, { id }, { token: server.admin })
  const found = await server.must(api.leftovers.search, { body: {} }, { token: server.admin })
  expect(found.leftovers).toMatchObject([{ kind: 'volume', sizeGb: 20 }])
  const keys = found.leftovers.map(({ key }) => key)
  await server.must(api.leftovers.remove, { body: { keys } }, { token: server.admin })
  expect(await world(server, 'aws')).toEqual([])
})

test('a run in progress can be canceled, and what it created is destroyed', async () => {
  const { id: other } = await makeCloudCluster(server, 'aws', { name: 'Canceled', count: 20 })
  const simulated = path.join(server.dataDir, 'simulated')
  // Slows down both plan and apply, so that neither finishes before the cancel arrives.
  await setFaults(simulated, { [other]: { fault: 'slow' } })
  await server.act(other, 'deploy')
  await server.must(cancel, { body: { id: other } }, as())
  const canceled = await untilState(server, other, 'failed')
  expect(canceled.info.cause).toContain('Canceled')
  await setFaults(simulated, {})
  await server.act(other, 'destroy')
  await untilState(server, other, 'destroyed')
  expect(await world(server, 'aws')).toEqual([])
})
