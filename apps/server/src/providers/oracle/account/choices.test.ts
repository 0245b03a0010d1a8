import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { EXISTING_DISK, EXISTING_FILE_SYSTEM } from '@flotilla/contract/clouds/account-choices'
import { choicesOf } from '../../../../test/support/clouds/account-choices'
import { startOracle, type FakeOracle } from '../../../../test/support/clouds/oracle'
import { explain } from '../../explain'
import { cloudProviders } from '../../registry'

let oracle: FakeOracle
beforeAll(async () => {
  oracle = await startOracle()
})
afterEach(() => {
  oracle.things.clear()
  oracle.hidden.clear()
})
afterAll(() => oracle.close())

const driver = () =>
  cloudProviders.oracle.driver({ credential: oracle.key, region: 'us-ashburn-1', endpoint: oracle.url })
const choices = async (field: string) => choicesOf(await driver(), field)
const add = (list: string, id: string, more: Record<string, unknown> = {}) =>
  oracle.things.set(id, {
    id,
    list,
    lifecycleState: 'AVAILABLE',
    displayName: `the ${id}`,
    freeformTags: {},
    ...more,
  })

it('offers the compartment’s networks, subnets, firewalls and gateways from all pages', async () => {
  add('vcns', 'vcn1', { cidrBlocks: ['10.0.0.0/16', '10.1.0.0/16'] })
  add('vcns', 'vcn2', { cidrBlock: '10.2.0.0/16' })
  // Oracle lists deleted resources for a while.
  add('vcns', 'vcn3', { lifecycleState: 'TERMINATED' })
  expect(await choices('data.network.vcn_id')).toEqual([
    { id: 'vcn1', name: 'the vcn1', about: '10.0.0.0/16, 10.1.0.0/16' },
    { id: 'vcn2', name: 'the vcn2', about: '10.2.0.0/16' },
  ])
  add('subnets', 'open', { vcnId: 'vcn1', cidrBlock: '10.0.1.0/24' })
  add('subnets', 'closed', {
    vcnId: 'vcn1',
    cidrBlock: '10.0.2.0/24',
    availabilityDomain: 'Uocm:US-ASHBURN-AD-1',
    prohibitPublicIpOnVnic: true,
  })
  const subnets = [
    {
      id: 'open',
      name: 'the open',
      about: '10.0.1.0/24, regional, public',
      within: 'vcn1',
      range: '10.0.1.0/24',
    },
    {
      id: 'closed',
      name: 'the closed',
      about: '10.0.2.0/24, Uocm:US-ASHBURN-AD-1, private',
      within: 'vcn1',
      range: '10.0.2.0/24',
      zones: ['Uocm:US-ASHBURN-AD-1'],
    },
  ]
  expect(await choices('data.network.subnet_id')).toEqual(subnets)
  expect(await choices('data.subnet_id')).toEqual(subnets)
  add('networkSecurityGroups', 'nsg', { vcnId: 'vcn1' })
  expect(await choices('data.network.security_group_id')).toEqual([
    { id: 'nsg', name: 'the nsg', about: '', within: 'vcn1' },
  ])
  add('localPeeringGateways', 'lpg', { peeringStatus: 'NEW' })
  expect(await choices('data.LPG')).toEqual([{ id: 'lpg', name: 'the lpg', about: 'new' }])
})

it("offers the compartment's own images, but not Oracle's", async () => {
  const { compartment_ocid: compartmentId } = oracle.key
  add('images', 'golden', { compartmentId, operatingSystem: 'Rocky Linux', operatingSystemVersion: '9' })
  add('images', 'platform', { compartmentId: null, operatingSystem: 'Canonical Ubuntu' })
  add('images', 'odd', { compartmentId, displayName: 7, operatingSystem: { not: 'text' } })
  expect(await choices('data.server.image_name')).toEqual([
    { id: 'golden', name: 'the golden', about: 'Rocky Linux, 9' },
    { id: 'odd', name: '', about: '' },
  ])
})

it('distinguishes an empty list from a missing permission, which it reports', async () => {
  expect(await choices('data.network.vcn_id')).toEqual([])
  oracle.hidden = new Set(['vcns'])
  const cloud = await driver()
  const error = await choicesOf(cloud, 'data.network.vcn_id').catch((thrown: unknown) => thrown)
  expect(explain('Oracle Cloud', error, String, cloud.choices?.['data.network.vcn_id']?.right)).toMatchObject(
    {
      kind: 'rights',
      message: expect.stringContaining('lacks the permission inspect vcns.'),
    },
  )
})

it('offers unattached disks', async () => {
  add('volumes', 'free', { sizeInGBs: 100, availabilityDomain: 'Uocm:US-ASHBURN-AD-1' })
  add('volumes', 'used', { sizeInGBs: 100 })
  add('volumes', 'released', { sizeInGBs: 50 })
  add('volumeAttachments', 'a', { volumeId: 'used', lifecycleState: 'ATTACHED' })
  add('volumeAttachments', 'b', { volumeId: 'released', lifecycleState: 'DETACHED' })
  expect(await choices(EXISTING_DISK)).toEqual([
    { id: 'free', name: 'the free', about: '100 GB, Uocm:US-ASHBURN-AD-1', zones: ['Uocm:US-ASHBURN-AD-1'] },
    { id: 'released', name: 'the released', about: '50 GB' },
  ])
})

it('offers the exports of mount targets, by their address', async () => {
  add('privateIps', 'ip1', { ipAddress: '10.0.1.7' })
  add('mountTargets', 'target', {
    lifecycleState: 'ACTIVE',
    availabilityDomain: 'Uocm:US-ASHBURN-AD-2',
    exportSetId: 'set1',
    privateIpIds: ['ip1'],
  })
  add('mountTargets', 'deleted', { lifecycleState: 'DELETED', exportSetId: 'set2', privateIpIds: ['ip1'] })
  for (const path of ['/home', '/scratch'])
    add('exports', path, { lifecycleState: 'ACTIVE', exportSetId: 'set1', path })
  add('exports', '/gone', { lifecycleState: 'DELETED', exportSetId: 'set1', path: '/gone' })
  const about = 'File Storage, the target, Uocm:US-ASHBURN-AD-2'
  expect(await choices(EXISTING_FILE_SYSTEM.nfs)).toEqual([
    { id: '10.0.1.7:/home', name: '/home', about },
    { id: '10.0.1.7:/scratch', name: '/scratch', about },
  ])
  // Only mount targets whose address cannot be read are omitted.
  add('mountTargets', 'aside', {
    lifecycleState: 'ACTIVE',
    availabilityDomain: 'Uocm:US-ASHBURN-AD-2',
    exportSetId: 'set1',
    privateIpIds: ['hidden'],
  })
  expect(await choices(EXISTING_FILE_SYSTEM.nfs)).toHaveLength(2)
  oracle.hidden = new Set(['exports'])
  await expect(choices(EXISTING_FILE_SYSTEM.nfs)).rejects.toMatchObject({ statusCode: 404 })
})
