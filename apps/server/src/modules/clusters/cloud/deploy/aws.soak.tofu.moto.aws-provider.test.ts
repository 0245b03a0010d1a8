import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  AllocateAddressCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DeregisterImageCommand,
  EC2Client,
  ReleaseAddressCommand,
} from '@aws-sdk/client-ec2'
import type { CloudData } from '@flotilla/contract/clusters/cloud'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testApp, type TestApp } from '../../../../../test/support/app'
import { awsImages, awsSite } from '../../../../../test/support/aws-site'
import { cloudClusterOf, cloudRow } from '../../../../../test/support/cloud-row'
import { startMoto, type Moto } from '../../../../../test/support/moto'
import * as store from '../../store'

// The real OpenTofu and the real AWS provider, driven by the product's own steps.
let app: TestApp
let moto: Moto
let site: Awaited<ReturnType<typeof awsSite>>
let ec2: EC2Client
let owner: string
beforeAll(async () => {
  app = await testApp()
  const images = path.join(app.dataDir, 'images.json')
  await writeFile(images, JSON.stringify(awsImages))
  moto = await startMoto({ images })
  site = await awsSite(app, moto)
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
  ec2 = new EC2Client({ region: 'us-east-1', endpoint: moto.url, credentials })
  owner = (await app.person('ada', ['admin'])).token
})
afterAll(async () => {
  await moto?.close()
  await app?.close()
})

const GROUP = { instance_id: 'c5.large', count: 3 }
const disk = (name: string, size: number, type = '') => ({ name, size, type })

/** A cluster of a head node, two of three nodes and a disk, deployed; `change` is what it has beside that. */
async function deployed(change: (data: CloudData) => void | Promise<void> = () => {}): Promise<string> {
  const id = await cloudRow(app, owner, {
    data: {
      network: { region_id: 'us-east-1', zone_id: 'us-east-1a' },
      // Moto does not take the size of a disk from the image.
      server: { instance_id: 't3.large', volume_size: 30 },
      node: { group: [GROUP], volume_size: 30 },
      disks: [disk('data', 100)],
    },
  })
  await site.edit(id, change)
  await site.run(id, 'deploy')
  await isSettled(id)
  return id
}
/** A second plan finds nothing to do. */
const isSettled = async (id: string) => expect(await site.planned(id)).toEqual([])
async function isDestroyedToNothing(id: string) {
  await site.run(id, 'destroy')
  expect(await site.found(id)).toEqual([])
  expect((await cloudClusterOf(app, id)).deployed).toBeNull()
}

/** Their loss would cut the cluster's network or lose data. */
const STAYS =
  /^aws_(vpc|subnet|internet_gateway|nat_gateway|route_table|security_group|network_interface|eip|ebs_volume|key_pair)\./

type Change = { name: string; change: (data: CloudData) => void; up?: string[]; removes?: RegExp }
const changes: Change[] = [
  { name: 'the third node comes up', change: () => {}, up: ['node1', 'node2', 'node3'] },
  { name: 'two nodes go away', change: () => {}, up: ['node1'] },
  { name: 'a disk is added', change: ({ disks }) => void disks.push(disk('scratch', 50, 'io2')) },
  { name: 'a disk grows', change: ({ disks: [first] }) => void (first && (first.size = 200)) },
  { name: 'a disk goes away', change: ({ disks }) => void disks.pop(), removes: /scratch/ },
  {
    name: 'the head node gets another size',
    change: ({ server }) => void (server.instance_id = 't3.xlarge'),
  },
  {
    name: 'the nodes get another size',
    change: ({ node }) => void Object.assign(node.group[0] ?? {}, { instance_id: 'c5.xlarge' }),
  },
  { name: 'OpenVPN is turned on', change: ({ server }) => void (server.openvpn = true) },
  { name: 'OpenVPN is turned off', change: ({ server }) => void (server.openvpn = false) },
  { name: 'tags are set', change: (data) => void (data.tags = { project: 'bridges' }) },
  {
    name: 'a group is added',
    change: ({ node }) => void node.group.push(...node.group.map((one) => ({ ...one, count: 1 }))),
  },
  { name: 'the root disk of later nodes is larger', change: ({ node }) => void (node.volume_size = 60) },
]

it('applies, plans again without changes, makes every change and destroys to nothing', async () => {
  const id = await deployed()
  for (const { name, change, up, removes } of changes) {
    await site.edit(id, change, up)
    const planned = await site.planned(id)
    const lost = planned.filter(
      ({ action, address }) => /replace|destroy/.test(action) && STAYS.test(address),
    )
    expect(
      lost.filter(({ address }) => !removes?.test(address)),
      name,
    ).toEqual([])
    await site.run(id, 'applyChanges')
    await isSettled(id)
  }
  await isDestroyedToNothing(id)
})

it('destroys a cluster with a mounted disk by one click (18)', async () => {
  const id = await deployed()
  moto.disksAreMounted = true
  await isDestroyedToNothing(id).finally(() => (moto.disksAreMounted = false))
  expect(moto.busyDisks.size).toBe(0)
})

it('replaces nothing when a renamed cluster is changed (19)', async () => {
  const id = await deployed()
  await store.update(app.db.kysely, id, { name: 'Quite another name' })
  await site.edit(id, ({ disks }) => void disks.push(disk('more', 10)))
  const planned = await site.planned(id)
  expect(planned.filter(({ action }) => /replace|destroy/.test(action))).toEqual([])
  await site.run(id, 'applyChanges')
  await isSettled(id)
  await isDestroyedToNothing(id)
})

/** Things of the account that clusters are put into. */
async function given(cidr: string) {
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: `${cidr}.0.0/16` }))
  const VpcId = Vpc?.VpcId ?? ''
  const { Subnet } = await ec2.send(
    new CreateSubnetCommand({ VpcId, CidrBlock: `${cidr}.7.0/24`, AvailabilityZone: 'us-east-1b' }),
  )
  const { GroupId = '' } = await ec2.send(
    new CreateSecurityGroupCommand({ VpcId, GroupName: 'theirs', Description: 'theirs' }),
  )
  return { VpcId, SubnetId: Subnet?.SubnetId ?? '', GroupId }
}

const variants: [string, (data: CloudData) => void | Promise<void>][] = [
  ['a private head node', ({ server }) => void (server.isPrivate = true)],
  ['no zone', ({ network }) => void (network.zone_id = '')],
  [
    'EFA on the nodes',
    ({ node }) =>
      void Object.assign(node.group[0] ?? {}, { instance_id: 'c5n.18xlarge', count: 2, efa: true }),
  ],
  ['ARM nodes', ({ node }) => void Object.assign(node.group[0] ?? {}, { instance_id: 'c6g.large' })],
  ['provisioned disks', (data) => void (data.disks = [disk('a', 100, 'io2'), disk('b', 500, 'st1')])],
  ['a static address', ({ network }) => void (network.private_static_ip = '10.77.0.10')],
  ['a network of theirs', async ({ network }) => void (network.network_id = (await given('10.50')).VpcId)],
  [
    'a subnet and a firewall of theirs',
    async ({ network }) => {
      const { VpcId, SubnetId, GroupId } = await given('10.60')
      Object.assign(network, { network_id: VpcId, subnet_id: SubnetId, security_group_id: GroupId })
    },
  ],
  [
    'an address of theirs',
    async ({ network }) => {
      const { AllocationId = '' } = await ec2.send(new AllocateAddressCommand({ Domain: 'vpc' }))
      network.eip_id = AllocationId
    },
  ],
  [
    'a role',
    async (data) => {
      await moto.instanceProfile('of-the-machines')
      data.ec2_role = 'of-the-machines'
    },
  ],
]
it.each(variants)(
  'deploys with %s, plans again without changes and destroys to nothing',
  async (_, change) => {
    const id = await deployed(change)
    expect((await site.found(id)).length).toBeGreaterThan(3)
    await isDestroyedToNothing(id)
  },
)

it('destroys without what was only looked up: a vanished image, an edit to an address that is missing (22)', async () => {
  const id = await deployed()
  const { AllocationId = '' } = await ec2.send(new AllocateAddressCommand({ Domain: 'vpc' }))
  await ec2.send(new ReleaseAddressCommand({ AllocationId }))
  await site.edit(id, ({ network }) => void (network.eip_id = AllocationId))
  for (const { ami_id } of awsImages) await ec2.send(new DeregisterImageCommand({ ImageId: ami_id }))
  await expect(site.planned(id)).rejects.toThrow(/no results|not found|NotFound/i)
  await isDestroyedToNothing(id)
})
