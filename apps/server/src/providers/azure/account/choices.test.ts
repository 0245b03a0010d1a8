import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { EXISTING_DISK, EXISTING_FILE_SYSTEM } from '@flotilla/contract/clouds/account-choices'
import { choicesOf } from '../../../../test/support/clouds/account-choices'
import { AZURE_KEY, startAzure, type FakeAzure } from '../../../../test/support/clouds/azure'
import { explain } from '../../explain'
import { cloudProviders } from '../../registry'

const ARM = 'https://management.azure.com'
const subscription = `/subscriptions/${AZURE_KEY.subscription_id}`
const group = `${subscription}/resourceGroups/lab`
let azure: FakeAzure
/** The replies to list requests, by the end of the path; each inner array is a page. */
let lists: Record<string, unknown[][]> = {}
beforeAll(async () => {
  azure = await startAzure()
})
afterEach(() => {
  lists = {}
  azure.answer = null
})
afterAll(() => azure.close())

const listen = () => {
  azure.answer = (_method, url) => {
    const [path, pages] = Object.entries(lists).find(([end]) => url.pathname.endsWith(end)) ?? []
    if (!path || !pages) return undefined
    const at = Number(url.searchParams.get('$skiptoken') ?? 0)
    const nextLink = `${ARM}${url.pathname}?api-version=1&$skiptoken=${at + 1}`
    return { status: 200, body: { value: pages[at], ...(at + 1 < pages.length && { nextLink }) } }
  }
}
const choices = async (field: string) => {
  listen()
  const credential = { ...AZURE_KEY }
  return choicesOf(
    await cloudProviders.azure.driver({ credential, region: 'westeurope', endpoint: azure.url }),
    field,
  )
}
const network = (name: string, more: object = {}) => ({
  id: `${group}/providers/Microsoft.Network/virtualNetworks/${name}`,
  name,
  location: 'westeurope',
  properties: {
    addressSpace: { addressPrefixes: ['10.1.0.0/16'] },
    subnets: [
      {
        id: `${group}/providers/Microsoft.Network/virtualNetworks/${name}/subnets/nodes`,
        name: 'nodes',
        properties: { addressPrefix: '10.1.2.0/24' },
      },
    ],
  },
  ...more,
})

it('offers networks and subnets in the region from all pages, by id for clusters and by name for stacks', async () => {
  lists = {
    // Resources in other regions cannot be used, and an invalid item does not hide the others.
    '/virtualNetworks': [
      [network('a'), network('far', { location: 'eastus' }), 7, { id: 3 }],
      [network('b')],
    ],
  }
  const [a, b] = [network('a').id, network('b').id]
  const net = { about: '10.1.0.0/16, lab' }
  expect(await choices('data.network.network_id')).toEqual([
    { id: a, name: 'a', ...net },
    { id: b, name: 'b', ...net },
  ])
  const range = '10.1.2.0/24'
  expect(await choices('data.network.subnet_id')).toEqual([
    { id: `${a}/subnets/nodes`, name: 'nodes', about: '10.1.2.0/24, a, lab', within: a, range },
    { id: `${b}/subnets/nodes`, name: 'nodes', about: '10.1.2.0/24, b, lab', within: b, range },
  ])
  expect(await choices('data.subnet_network_id')).toContainEqual({ id: 'a', name: '', ...net })
  expect(await choices('data.subnet_id')).toContainEqual({
    id: 'nodes',
    name: '',
    about: '10.1.2.0/24, b, lab',
    within: 'b',
  })
})

it('offers resource groups by name, firewalls, and unused addresses', async () => {
  const of = (type: string, name: string, properties: object) => ({
    id: `${group}/providers/Microsoft.Network/${type}/${name}`,
    name,
    location: 'westeurope',
    properties,
  })
  lists = {
    '/resourcegroups': [[{ name: 'lab', location: 'northeurope' }]],
    '/networkSecurityGroups': [[of('networkSecurityGroups', 'ssh', {})]],
    '/publicIPAddresses': [
      [
        of('publicIPAddresses', 'free', { ipAddress: '203.0.113.7' }),
        of('publicIPAddresses', 'used', { ipAddress: '203.0.113.8', ipConfiguration: { id: 'x' } }),
      ],
    ],
  }
  for (const field of [
    'data.resource_group_id',
    'data.image_resource_group_name',
    'data.resource_group_name',
  ])
    expect(await choices(field)).toEqual([{ id: 'lab', name: '', about: 'northeurope' }])
  expect(await choices('data.network.security_group_id')).toMatchObject([{ name: 'ssh', about: 'lab' }])
  expect(await choices('data.network.eip_id')).toMatchObject([{ name: 'free', about: '203.0.113.7, lab' }])
})

it('offers Linux images: managed ones, and versions in galleries that are replicated to the region', async () => {
  const compute = `${group}/providers/Microsoft.Compute`
  const image = (name: string, osType: string) => ({
    id: `${compute}/images/${name}`,
    name,
    location: 'westeurope',
    properties: { hyperVGeneration: 'V2', storageProfile: { osDisk: { osType } } },
  })
  const version = (name: string, region: string) => ({
    id: `${compute}/galleries/gallery/images/rocky/versions/${name}`,
    name,
    properties: {
      publishingProfile: { targetRegions: [{ name: region }], publishedDate: '2026-03-04T05:06:07Z' },
    },
  })
  lists = {
    '/galleries': [[{ id: `${compute}/galleries/gallery`, name: 'gallery' }]],
    '/galleries/gallery/images': [
      [
        {
          id: `${compute}/galleries/gallery/images/rocky`,
          name: 'rocky',
          properties: { osType: 'Linux', architecture: 'Arm64' },
        },
      ],
    ],
    '/rocky/versions': [[version('1.0.0', 'West Europe'), version('2.0.0', 'East US')]],
    '/images': [[image('golden', 'Linux'), image('office', 'Windows')]],
  }
  expect(await choices('data.server.image_name')).toEqual([
    { id: `${compute}/images/golden`, name: 'golden', about: 'managed image, V2, lab' },
    {
      id: `${compute}/galleries/gallery/images/rocky/versions/1.0.0`,
      name: 'rocky 1.0.0',
      about: 'gallery gallery, Arm64, 2026-03-04',
      arch: 'arm64',
    },
  ])
  expect(await choices('data.source_image')).toEqual([
    { id: 'golden', name: '', about: 'V2, lab', within: 'lab' },
  ])
})

it('sends no token to the address in a gallery’s id', async () => {
  lists = { '/galleries': [[{ id: 'https://evil.example/x', name: 'bait' }]], '/images': [[]] }
  await expect(choices('data.server.image_name')).rejects.toThrow('at a different address')
})

it('reports the missing permission, and does not follow a page’s link to another address', async () => {
  const failed = async (body: object, status = 200) => {
    azure.answer = (_method, url) =>
      url.pathname.endsWith('/virtualNetworks') ? { status, body } : undefined
    const driver = await cloudProviders.azure.driver({
      credential: { ...AZURE_KEY },
      region: 'westeurope',
      endpoint: azure.url,
    })
    const error = await choicesOf(driver, 'data.network.network_id').catch((thrown: unknown) => thrown)
    return explain('Azure', error, String, driver.choices?.['data.network.network_id']?.right)
  }
  expect(await failed({ error: { code: 'AuthorizationFailed', message: 'no' } }, 403)).toEqual({
    kind: 'rights',
    message:
      'Azure accepts this key, but it lacks the permission Microsoft.Network/virtualNetworks/read. Azure says: no',
  })
  expect(await failed({ value: [], nextLink: 'https://evil.example/' })).toMatchObject({
    kind: 'unreachable',
  })
  expect(await failed({ value: 'many' })).toEqual({
    kind: 'failed',
    message: 'Azure responded in an unexpected way.',
  })
})

it('offers unattached data disks', async () => {
  const disk = (name: string, properties: object) => ({
    id: `${group}/providers/Microsoft.Compute/disks/${name}`,
    name,
    location: 'westeurope',
    sku: { name: 'Premium_LRS' },
    zones: ['2'],
    properties: { diskState: 'Unattached', diskSizeGB: 128, ...properties },
  })
  const system = disk('system', { osType: 'Linux' })
  lists = { '/disks': [[disk('free', {}), disk('used', { diskState: 'Attached' })], [system]] }
  expect(await choices(EXISTING_DISK)).toEqual([
    { id: disk('free', {}).id, name: 'free', about: '128 GB, Premium_LRS, zone 2, lab', zones: ['2'] },
  ])
})

it('offers NFS shares of Azure Files and volumes of NetApp Files in the region', async () => {
  const storage = (name: string, kind: string, location = 'westeurope') => ({
    id: `${group}/providers/Microsoft.Storage/storageAccounts/${name}`,
    name,
    kind,
    location,
    properties: { primaryEndpoints: { file: `https://${name}.file.core.windows.net/` } },
  })
  const share = (name: string, enabledProtocols: string) => ({
    name,
    properties: { enabledProtocols, shareQuota: 100 },
  })
  const netApp = `${group}/providers/Microsoft.NetApp/netAppAccounts/lab`
  const volume = (name: string, protocol: string) => ({
    name: `lab/pool/${name}`,
    properties: {
      creationToken: `${name}-1`,
      protocolTypes: [protocol],
      mountTargets: [{ ipAddress: '10.1.3.4' }],
      usageThreshold: 1024 ** 4,
      subnetId: `${network('net').id}/subnets/netapp`,
    },
  })
  const files = storage('files', 'FileStorage')
  lists = {
    '/storageAccounts': [[files, storage('far', 'FileStorage', 'eastus')], [storage('blobs', 'StorageV2')]],
    '/files/fileServices/default/shares': [[share('home', 'NFS'), share('office', 'SMB'), 7]],
    '/netAppAccounts': [[{ id: netApp, name: 'lab', location: 'westeurope' }]],
    '/lab/capacityPools': [[{ id: `${netApp}/capacityPools/pool` }]],
    '/pool/volumes': [[volume('fast', 'NFSv4.1'), volume('office', 'CIFS')]],
  }
  const home = {
    id: 'files.file.core.windows.net:/files/home',
    name: 'home',
    about: 'Azure Files, 100 GB, files',
  }
  expect(await choices(EXISTING_FILE_SYSTEM.nfs)).toEqual([
    home,
    { id: '10.1.3.4:/fast-1', name: 'fast', about: 'NetApp Files, 1024 GB, net' },
  ])
  // A subscription that never used NetApp Files still offers its shares; a missing permission is reported.
  const refused = async (status: number, code: string) => {
    listen()
    const answer = azure.answer
    azure.answer = (method, url, body) =>
      url.pathname.endsWith('/netAppAccounts')
        ? { status, body: { error: { code, message: 'no' } } }
        : answer?.(method, url, body)
    const credential = { ...AZURE_KEY }
    const driver = await cloudProviders.azure.driver({
      credential,
      region: 'westeurope',
      endpoint: azure.url,
    })
    return choicesOf(driver, EXISTING_FILE_SYSTEM.nfs)
  }
  expect(await refused(409, 'MissingSubscriptionRegistration')).toEqual([home])
  await expect(refused(403, 'AuthorizationFailed')).rejects.toThrow('no')
})
