import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { EXISTING_DISK, EXISTING_FILE_SYSTEM } from '@flotilla/contract/clouds/account-choices'
import { choicesOf } from '../../../test/support/clouds/account-choices'
import { PROJECT, startGcp, type FakeGcp } from '../../../test/support/clouds/gcp'
import { collectChoices } from '../collect-choices'
import { explain } from '../explain'
import { cloudProviders } from '../registry'

const LINK = `https://www.googleapis.com/compute/v1/projects/${PROJECT}`
let gcp: FakeGcp
beforeAll(async () => {
  gcp = await startGcp()
})
afterEach(() => {
  gcp.answer = null
})
afterAll(() => gcp.close())

const driver = () => cloudProviders.gcp.driver({ credential: gcp.key, region: 'us-west1', endpoint: gcp.url })
/** Replies to one list with these pages. */
const answer = (path: string, ...pages: Record<string, unknown>[]) => {
  gcp.answer = (_method, url) => {
    if (!url.pathname.endsWith(path)) return undefined
    const at = Number(url.searchParams.get('pageToken') || 0)
    return {
      status: 200,
      body: { ...pages[at], ...(at + 1 < pages.length && { nextPageToken: String(at + 1) }) },
    }
  }
}
const choices = async (field: string) => choicesOf(await driver(), field)

it('offers networks and subnetworks by name, on all pages', async () => {
  answer(
    '/global/networks',
    { items: [{ name: 'default', autoCreateSubnetworks: true }, 'odd'] },
    {},
    { items: [{ name: 'lab' }] },
  )
  const networks = [
    { id: 'default', name: '', about: 'subnetworks in every region' },
    { id: 'lab', name: '', about: 'own subnetworks' },
  ]
  expect(await choices('data.network.network_id')).toEqual(networks)
  expect(await choices('data.subnet_network_id')).toEqual(networks)
  const network = `${LINK}/global/networks/lab`
  answer('/regions/us-west1/subnetworks', {
    items: [
      { name: 'nodes', network, ipCidrRange: '10.2.0.0/20', purpose: 'PRIVATE' },
      { name: 'proxies', network, ipCidrRange: '10.3.0.0/20', purpose: 'REGIONAL_MANAGED_PROXY' },
    ],
  })
  const subnets = [
    { id: 'nodes', name: '', about: '10.2.0.0/20, network lab', within: network, range: '10.2.0.0/20' },
  ]
  expect(await choices('data.network.subnet_id')).toEqual(subnets)
  expect(await choices('data.subnet_id')).toEqual(subnets)
})

it('offers unused external addresses, tags of firewall rules, images and service accounts', async () => {
  const address = { addressType: 'EXTERNAL', status: 'RESERVED' }
  answer('/regions/us-west1/addresses', {
    items: [
      { ...address, name: 'head', address: '203.0.113.7' },
      { ...address, name: 'used', address: '203.0.113.8', status: 'IN_USE' },
      { ...address, name: 'inside', address: '10.2.0.9', addressType: 'INTERNAL' },
    ],
  })
  expect(await choices('data.network.fip_address')).toEqual([
    { id: '203.0.113.7', name: 'head', about: 'reserved' },
  ])
  const network = `${LINK}/global/networks/lab`
  answer('/global/firewalls', {
    items: [
      { name: 'ssh', network, targetTags: ['login'] },
      { name: 'vpn', network, targetTags: ['login'] },
      { name: 'all', network },
    ],
  })
  expect(await choices('data.network.firewall_id')).toEqual([
    { id: 'login', name: '', about: 'ssh in lab, vpn in lab' },
  ])
  answer('/global/images', {
    items: [
      { name: 'golden', status: 'READY', architecture: 'ARM64', creationTimestamp: '2026-03-04T05:06:07Z' },
      { name: 'half', status: 'PENDING' },
      { name: 'old', status: 'READY', deprecated: { state: 'DEPRECATED' } },
    ],
  })
  const about = 'arm64, 2026-03-04'
  expect(await choices('data.server.image_name')).toEqual([
    { id: `projects/${PROJECT}/global/images/golden`, name: 'golden', about, arch: 'arm64' },
  ])
  expect(await choices('data.source_image')).toEqual([{ id: 'golden', name: '', about, arch: 'arm64' }])
  answer(
    '/serviceAccounts',
    { accounts: [{ email: 'runner@x.example', displayName: 'Runner' }] },
    { accounts: [{ email: 'off@x.example', disabled: true }] },
  )
  expect(await choices('data.service_account')).toEqual([
    { id: 'runner@x.example', name: 'Runner', about: '' },
  ])
})

it('explains a missing permission, an unexpected response, and a missing response', async () => {
  const failed = async (field: string, status: number, body: unknown) => {
    gcp.answer = (_method, url) => (url.pathname.includes('/projects/') ? { status, body } : undefined)
    const cloud = await driver()
    const error = await choicesOf(cloud, field).catch((thrown: unknown) => thrown)
    return explain('Google Cloud', error, String, cloud.choices?.[field]?.right)
  }
  const error = { code: 403, status: 'PERMISSION_DENIED', message: 'Permission denied' }
  expect(await failed('data.service_account', 403, { error })).toMatchObject({
    kind: 'rights',
    message: expect.stringContaining('lacks the permission iam.serviceAccounts.list.'),
  })
  expect(await failed('data.network.network_id', 200, { items: 'many' })).toEqual({
    kind: 'failed',
    message: 'Google Cloud responded in an unexpected way.',
  })
  expect(
    await failed('data.network.network_id', 200, { items: ['x'.repeat(17 * 1024 * 1024)] }),
  ).toMatchObject({
    kind: 'failed',
  })
})

it('offers unattached disks of the region and of each of its zones', async () => {
  const disk = (name: string, more: object = {}) => ({
    name,
    selfLink: `${LINK}/zones/us-west1-b/disks/${name}`,
    zone: `${LINK}/zones/us-west1-b`,
    type: `${LINK}/zones/us-west1-b/diskTypes/pd-ssd`,
    sizeGb: '200',
    ...more,
  })
  const inRegion = {
    name: 'mirrored',
    selfLink: `${LINK}/regions/us-west1/disks/mirrored`,
    replicaZones: [`${LINK}/zones/us-west1-a`, `${LINK}/zones/us-west1-b`],
    type: `${LINK}/regions/us-west1/diskTypes/pd-ssd`,
    sizeGb: '200',
  }
  gcp.answer = (_method, url) => {
    if (url.pathname.endsWith('/zones'))
      return { status: 200, body: { items: [{ name: 'us-west1-b' }, { name: 'us-west10-a' }] } }
    const items = [disk('genomes'), disk('used', { users: ['a'] }), disk('boot', { sourceImage: 'debian' })]
    if (url.pathname.endsWith('/regions/us-west1/disks')) return { status: 200, body: { items: [inRegion] } }
    return url.pathname.endsWith('/us-west1-b/disks') ? { status: 200, body: { items } } : undefined
  }
  const id = `projects/${PROJECT}/zones/us-west1-b/disks/genomes`
  expect(await choices(EXISTING_DISK)).toEqual([
    { id, name: 'genomes', about: '200 GB, pd-ssd, us-west1-b', zones: ['us-west1-b'] },
    {
      id: `projects/${PROJECT}/regions/us-west1/disks/mirrored`,
      name: 'mirrored',
      about: '200 GB, pd-ssd, us-west1-a and us-west1-b',
      zones: ['us-west1-a', 'us-west1-b'],
    },
  ])
})

it('offers the shares of Filestore in the region and its zones', async () => {
  const instance = (place: string, name: string, more: object = {}) => ({
    name: `projects/${PROJECT}/locations/${place}/instances/${name}`,
    state: 'READY',
    fileShares: [{ name: 'home', capacityGb: '1024' }],
    networks: [{ network: `projects/${PROJECT}/global/networks/lab`, ipAddresses: ['10.2.9.2'] }],
    ...more,
  })
  answer(
    '/locations/-/instances',
    { instances: [instance('us-west1-b', 'zonal'), instance('us-west10-b', 'far'), 'odd'] },
    {
      instances: [
        instance('us-west1', 'regional'),
        instance('us-west1', 'new', { state: 'CREATING' }),
        instance('us-west1', 'lonely', { networks: [] }),
      ],
    },
  )
  const about = (place: string) => `Filestore, 1024 GB, ${place}, network lab`
  expect(await choices(EXISTING_FILE_SYSTEM.nfs)).toEqual([
    { id: '10.2.9.2:/home', name: 'zonal', about: about('us-west1-b') },
    { id: '10.2.9.2:/home', name: 'regional', about: about('us-west1') },
  ])
})

it('reports whether the Filestore API is not enabled or a permission is missing', async () => {
  const list = (await driver()).choices?.[EXISTING_FILE_SYSTEM.nfs]
  const refusal = (details: object[]) => {
    const error = { code: 403, status: 'PERMISSION_DENIED', message: 'not now', details }
    gcp.answer = (_method, url) =>
      url.pathname.endsWith('/instances') ? { status: 403, body: { error } } : undefined
  }
  refusal([{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'SERVICE_DISABLED' }])
  expect(await collectChoices('Google Cloud', list, '')).toEqual({
    choices: [],
    more: false,
    note: 'The project has not enabled the Cloud Filestore API.',
  })
  refusal([])
  await expect(collectChoices('Google Cloud', list, '')).rejects.toMatchObject({ status: 403 })
})
