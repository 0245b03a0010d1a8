import { api } from '@flotilla/contract/api'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import type { Sent } from '@flotilla/contract/endpoint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import { cloudRow, machine, setMachines } from '../../../../test/support/modules/cloud-row'

// These tests cover which edits of a cluster in a cloud can be saved, and which fields show why one cannot.

type Data = NonNullable<Sent<typeof api.clusters.update>['body']['data']>

let app: TestApp
let admin: { id: string; token: string }
beforeAll(async () => {
  app = await testApp({ CLOUD: 'simulated' })
  admin = await app.person('admin', ['admin'])
})
afterAll(() => app.close())

async function editOf(id: string) {
  const { name, provider, credential_id, info, data } = CloudCluster.parse(
    await app.must(api.clusters.view, { id }, { token: admin.token }),
  )
  return (more: Partial<Data>) => {
    const edited = { id, name, provider, credential_id: credential_id ?? '', info }
    const body = { ...edited, data: { ...data, ...more } }
    return app.answer(api.clusters.update, { body, beside: { deletedPkgs: [] } }, { token: admin.token })
  }
}

test('fast networks and spot cannot be added to existing machines or removed from them', async () => {
  const group = { count: 2, instance_id: 'c5n.18xlarge', efa: true }
  const node = (...groups: NonNullable<NonNullable<Data['node']>['group']>) => ({ node: { group: groups } })
  const id = await cloudRow(app, admin.token, { data: node(group) })
  const edit = await editOf(id)
  // No machines exist yet.
  expect((await edit(node({ ...group, efa: false }))).status).toBe(200)
  await edit(node(group))
  await setMachines(app, id, [machine('head', 'head', '10.0.0.1'), machine('node1', 'node', '10.0.0.2')])
  expect(await edit(node({ ...group, efa: false }))).toMatchObject({
    status: 400,
    json: {
      fields: {
        'cluster.data.node.group.0.efa': 'Not possible on existing machines. Remove node1 first',
      },
    },
  })
  expect(await edit(node({ ...group, spot: true }))).toMatchObject({
    json: { fields: { 'cluster.data.node.group.0.spot': expect.stringContaining('Remove node1 first') } },
  })
  const another = { ...group, efa: false, group_node_prefix: 'slow' }
  expect((await edit(node({ ...group, count: 4 }, another))).status).toBe(200)
})

test('address ranges that no cloud accepts are rejected at their field', async () => {
  const id = await cloudRow(app, admin.token)
  const edit = await editOf(id)
  const network = (allowed_ranges: string[]) => ({ network: { region_id: 'us-east-1', allowed_ranges } })
  expect((await edit(network(['203.0.113.0/24', '198.51.100.7/32']))).status).toBe(200)
  for (const range of ['203.0.113.5/24', '0.0.0.0/4', 'here', '::1/128'])
    expect(await edit(network([range]))).toMatchObject({
      status: 400,
      json: { fields: { 'cluster.data.network.allowed_ranges': expect.stringContaining(range) } },
    })
})
