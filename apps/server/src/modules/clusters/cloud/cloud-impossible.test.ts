import { api } from '@flotilla/contract/api'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import type { Sent } from '@flotilla/contract/endpoint'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { Stack, StackInput } from '@flotilla/contract/stacks/entity'
import type * as z from 'zod/mini'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import { cloudRow, machine, setMachines } from '../../../../test/support/modules/cloud-row'
import { makeCredential } from '../../../../test/support/console/cloud'
import { clusterOf } from '../../../../test/support/modules/deployment'
import { stackPlaces } from '../../../../test/support/console/stack'

// A cluster can be saved with everything that the specification's entity may hold. What its cloud does not support is
// reported at Plan, on its field, before any request to the cloud.

let app: TestApp
let admin: string
beforeAll(async () => {
  app = await testApp({ CLOUD: 'simulated' })
  admin = (await app.person('admin', ['admin'])).token
})
afterAll(() => app.close())

const credential = (provider: ProviderId) => makeCredential({ must: app.must, admin }, provider)
const makeStack = (body: z.input<typeof StackInput>): Promise<Stack> =>
  app.must(api.stacks.create, { body }, { token: admin })

const save = async (provider: ProviderId, more: Partial<Sent<typeof api.clusters.create>['body']> = {}) => {
  const { name, info, data } = clusterOf(provider)
  const body = { name, provider, credential_id: await credential(provider), info, data, ...more }
  return app.must(api.clusters.create, { body }, { token: admin })
}
const planOf = ({ id }: { id: string }) => ({ body: { id, onlyplan: true } })
const plan = (cluster: { id: string }) => app.must(api.clusters.deploy, planOf(cluster), { token: admin })
const planRefused = (cluster: { id: string }) =>
  app.refused(api.clusters.deploy, planOf(cluster), { token: admin })

test('the specification’s defaults are saved on every cloud, and Plan reports where they have no image', async () => {
  for (const provider of ['gcp', 'oracle', 'aws', 'azure', 'maas'] as const) {
    const { data } = clusterOf(provider)
    const { manager: _default, ...rest } = data
    const saved = await save(provider, { info: {}, data: rest })
    expect(saved, provider).toMatchObject({ info: { 'os-type': 'centos-7' }, data: { manager: 'torque' } })
    const planned = await planRefused(saved)
    if (provider === 'gcp' || provider === 'oracle')
      expect(planned, provider).toMatchObject({
        status: 400,
        fields: { 'info.os-type': expect.stringMatching(/CentOS 7|platform image/) },
      })
    else expect(planned, provider).toMatchObject({ code: 'no_torque' })
  }
})

test('a disk size on MAAS is saved, and refused at Plan on its field', async () => {
  const { data } = clusterOf('maas')
  const saved = await save('maas', { data: { ...data, server: { ...data.server, volume_size: 100 } } })
  expect(saved).toMatchObject({ data: { server: { volume_size: 100 } } })
  expect(await planRefused(saved)).toMatchObject({
    status: 400,
    message: 'Edit the cluster first: MAAS machines use their built-in disks',
    fields: { 'data.server.volume_size': 'MAAS machines use their built-in disks.' },
  })
})

test('Oracle takes the zones that /api/providers lists as zone_id, and keeps them', async () => {
  const { data } = clusterOf('oracle')
  const network = { ...data.network, availability_domain: '', zone_id: 'PHX-AD-2' }
  const saved = await save('oracle', { data: { ...data, network } })
  expect(saved).toMatchObject({ data: { network: { zone_id: 'PHX-AD-2' } } })
  await plan(saved)
})

test('what the account’s own lists show to be impossible is refused at Plan, on its field', async () => {
  const { data } = clusterOf('gcp')
  const mirrored = 'projects/simulated/regions/us-west1/disks/mirrored'
  const withDisk = (zone_id: string, id: string) => ({
    ...data,
    network: { ...data.network, region_id: 'us-west1', zone_id },
    disks: [{ name: 'old', size: 0, id }],
  })
  const info = { 'os-type': 'rocky-9' as const }
  const far = await save('gcp', { info, data: withDisk('us-west1-a', mirrored) })
  expect(await planRefused(far)).toMatchObject({
    status: 400,
    fields: { 'data.disks.0.id': expect.stringContaining('us-west1-b or us-west1-c') },
  })
  await plan(await save('gcp', { info, data: withDisk('us-west1-c', mirrored) }))
  const aws = clusterOf('aws').data
  const server = { ...aws.server, image_name: 'ami-0c0ffee0000000001' }
  expect(await planRefused(await save('aws', { data: { ...aws, server } }))).toMatchObject({
    status: 400,
    fields: { 'data.server.instance_id': expect.stringContaining('The image is for ARM') },
  })
  // A disk that is not listed may still exist.
  const unlisted = mirrored.replace('mirrored', 'other')
  await plan(await save('gcp', { info, data: withDisk('us-west1-a', unlisted) }))
})

test('changes of a running cluster are refused on their fields', async () => {
  const data = {
    network: { region_id: 'us-east-1' },
    server: { instance_id: 'c5n.18xlarge', volume_size: 100 },
    node: { group: [{ instance_id: 'c5n.18xlarge', count: 1, efa: true }], volume_size: 80 },
  }
  const id = await cloudRow(app, admin, { data })
  await setMachines(app, id, [machine('head', 'head', '10.0.0.1'), machine('node1', 'node', '10.0.0.2')])
  const resize = (size: object) => app.refused(api.lifecycle.resize, { body: { id, size } }, { token: admin })
  expect(await resize({ groups: [{ group: 0, instance_id: 't3.large' }] })).toMatchObject({
    status: 400,
    fields: { 'data.node.group.0.efa': expect.stringContaining('t3.large') },
  })
  const disks = [{ name: 'fast', size: 2, type: 'io2' }]
  expect(await app.refused(api.lifecycle.addDisk, { body: { id, disks } }, { token: admin })).toMatchObject({
    status: 400,
    fields: { 'disks.0.size': 'At least 4 GB for Provisioned IOPS SSD (io2)' },
  })
  const view = CloudCluster.parse(await app.must(api.clusters.view, { id }, { token: admin }))
  const smaller = {
    ...view.data,
    server: { ...view.data.server, volume_size: 0 },
    node: { ...view.data.node, volume_size: 79 },
  }
  const { name, provider, credential_id, info } = view
  const body = { id, name, provider, credential_id: credential_id ?? '', info, data: smaller }
  expect(await app.refused(api.clusters.update, { body }, { token: admin })).toMatchObject({
    status: 400,
    fields: {
      'data.server.volume_size': 'The existing disks are 100 GB and cannot be made smaller',
      'data.node.volume_size': 'The existing disks are 80 GB and cannot be made smaller',
    },
  })
})

test('a stack determines the system and manager of its clusters, and the processor of their machines', async () => {
  const stack = await makeStack({
    name: 'ARM image',
    provider: 'aws',
    credential_id: await credential('aws'),
    data: { ...stackPlaces.aws, instance_id: 't4g.large', source_os_type: 'rocky-9', manager: 'slurm' },
  })
  const { data } = clusterOf('aws')
  const saved = await save('aws', {
    stack_id: stack.id,
    info: { 'os-type': 'ubuntu-22.04' },
    data: { ...data, manager: 'torque' },
  })
  expect(saved).toMatchObject({ info: { 'os-type': 'rocky-9' }, data: { manager: 'slurm' } })
  expect(await planRefused(saved)).toMatchObject({
    status: 400,
    fields: { 'data.server.instance_id': expect.stringContaining('is for ARM') },
  })
})

test('a stack that cannot be built shows the reasons on its fields', async () => {
  const stack = await makeStack({
    name: 'Impossible',
    provider: 'oracle',
    credential_id: await credential('oracle'),
    data: {
      ...stackPlaces.oracle,
      manager: 'slurm',
      zone_id: 'US-ASHBURN-AD-1',
      disk_size: 20,
      source_image: 'my image',
    },
  })
  const built = await app.refused(api.stacks.build, { body: { id: stack.id } }, { token: admin, admin: true })
  expect(built).toMatchObject({
    status: 400,
    fields: {
      'stack.data.zone_id': expect.stringContaining('is not in US West (Phoenix)'),
      'stack.data.disk_size': expect.stringContaining('At least 50 GB'),
      'stack.data.source_image': expect.stringContaining('ocid1.image'),
    },
  })
})

test('an existing problem of a running cluster does not block other changes', async () => {
  const id = await cloudRow(app, admin, {
    data: {
      network: { region_id: 'us-east-1', vpc_id: 'vpc-odd' },
      server: { instance_id: 't3.large' },
      node: { group: [{ instance_id: 't3.large', count: 1 }] },
    },
  })
  await setMachines(app, id, [machine('head', 'head', '10.0.0.1')])
  const added = await app.must(
    api.lifecycle.addDisk,
    { body: { id, disks: [{ name: 'data', size: 10, type: '' }] } },
    { token: admin },
  )
  expect(added.cluster.data).toMatchObject({ disks: [{ name: 'data', size: 10 }] })
})
