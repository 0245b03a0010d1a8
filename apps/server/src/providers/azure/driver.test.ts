import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { AZURE_KEY, startAzure, type FakeAzure } from '../../../test/support/clouds/azure'
import { makeAzureCluster } from '../../../test/support/clouds/azure-cluster'
import { clusterOf, deploymentOf } from '../../../test/support/modules/deployment'
import { removeAllFound } from '../../../test/support/clouds/remove-all'
import { explain } from '../explain'
import { cloudProviders } from '../registry'
import { allows } from './rights'

const SUBNET = 'Microsoft.Network/virtualNetworks/subnets'
const never = new AbortController().signal
let azure: FakeAzure
beforeAll(async () => {
  azure = await startAzure()
})
afterEach(() => {
  azure.answer = null
  azure.calls.length = 0
})
afterAll(() => azure.close())
const driverFor = (credential: Partial<typeof AZURE_KEY> = {}, region = 'eastus') =>
  cloudProviders.azure.driver({
    credential: { ...AZURE_KEY, ...credential },
    region,
    endpoint: azure.url,
    pollMs: 5,
  })

describe('the identity of an application', () => {
  it('is reported with its permissions', async () => {
    const { account, missing, checked } = await (await driverFor()).whoAmI()
    expect(account).toBe(`application ${AZURE_KEY.client_id} in the subscription Tests (Enabled)`)
    expect(missing).toEqual([])
    expect(checked).toContain('Microsoft.Compute/virtualMachines/write, to create machines')
  })

  it('is reported with the missing permissions', async () => {
    const { permissions } = azure
    azure.permissions = [
      {
        actions: ['*/read', 'Microsoft.Compute/*'],
        notActions: ['Microsoft.Compute/disks/delete', 'Microsoft.Compute/skus/read'],
      },
    ]
    azure.registered = false
    const { missing, optional } = await (await driverFor()).whoAmI()
    expect(optional).toEqual(['Microsoft.Compute/skus/read, to check quotas'])
    expect(missing).toContain('Microsoft.Compute/disks/delete, to delete disks')
    expect(missing).toContain('Microsoft.Network/virtualNetworks/write, to create networks')
    expect(missing).toContain('The subscription is registered for Microsoft.Compute')
    expect(missing.join()).not.toContain('virtualMachines')
    Object.assign(azure, { permissions, registered: true })
  })

  it('is not reported without the secret, which is explained', async () => {
    const explained = async (credential: Partial<typeof AZURE_KEY>) => {
      const attempt = async () => (await driverFor(credential)).whoAmI()
      const error = await attempt().catch((thrown: unknown) => thrown)
      return explain('Azure', error, String)
    }
    expect(await explained({ client_secret: 'wrong' })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('AADSTS7000215'),
    })
    expect(await explained({ client_id: '00000000-0000-0000-0000-000000000000' })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('AADSTS700016'),
    })
    expect((await explained({ tenant_id: '00000000-0000-0000-0000-000000000000' })).kind).toBe('refused')
    expect((await explained({ tenant_id: 'no tenant at all!' })).kind).toBe('refused')
    expect((await explained({ subscription_id: '00000000-0000-0000-0000-000000000000' })).kind).toBe('rights')
    azure.answer = (_method, url) =>
      url.pathname.startsWith('/subscriptions')
        ? { status: 403, body: { error: { code: 'AuthorizationFailed', message: 'The client may not.' } } }
        : undefined
    expect(await explained({})).toMatchObject({
      kind: 'rights',
      message: expect.stringContaining('The client may not.'),
    })
    azure.answer = (_method, url) =>
      url.pathname.startsWith('/subscriptions') ? { status: 503, body: {} } : undefined
    expect((await explained({})).kind).toBe('unreachable')
    azure.answer = () => ({
      status: 503,
      body: { error: 'temporarily_unavailable', error_description: 'AADSTS90033: A transient error.' },
    })
    expect((await explained({})).kind).toBe('unreachable')
  })

  it('is not reported if the endpoint does not respond', async () => {
    const nowhere = await cloudProviders.azure.driver({
      credential: AZURE_KEY,
      region: 'eastus',
      endpoint: 'http://127.0.0.1:9',
    })
    const error = await nowhere.whoAmI().catch((thrown: unknown) => thrown)
    expect(explain('Azure', error, String).kind).toBe('unreachable')
  })

  it('has the permissions of its roles', () => {
    const contributor = [{ actions: ['*'], notActions: ['Microsoft.Authorization/*/Write'] }]
    expect(allows(contributor, 'Microsoft.Compute/disks/write')).toBe(true)
    expect(allows(contributor, 'microsoft.authorization/roleAssignments/write')).toBe(false)
    expect(
      allows([{ actions: ['Microsoft.Compute/*/read'], notActions: [] }], 'Microsoft.Compute/disks/write'),
    ).toBe(false)
    expect(allows([], 'Microsoft.Compute/disks/write')).toBe(false)
  })
})

describe('an image of the marketplace', () => {
  const rocky = { publisher: 'resf', offer: 'rockylinux-x86_64', sku: '9-base', version: 'latest' }
  // Not the plan that one would guess from the image's names.
  const plan = { publisher: 'resf', product: 'rockylinux-x86_64-new', name: '9-base-plan' }
  const found = (versions: unknown, agreement: { status: number; body?: unknown }) => {
    azure.answer = (_method, { pathname, searchParams }) => {
      if (!searchParams.get('api-version')) return undefined
      const at =
        '/locations/eastus/publishers/resf/artifacttypes/vmimage/offers/rockylinux-x86_64/skus/9-base/versions'
      if (pathname.endsWith(at) && searchParams.get('$orderby') === 'name desc')
        return { status: 200, body: [{ name: '9.6.20250531' }] }
      if (pathname.endsWith(`${at}/9.6.20250531`)) return { status: 200, body: { properties: versions } }
      const agreements =
        '/offerTypes/virtualmachine/publishers/resf/offers/rockylinux-x86_64-new/plans/9-base-plan/agreements/current'
      return pathname.endsWith(agreements) ? agreement : undefined
    }
  }

  it('has the plan that Azure reports, and its terms can be accepted', async () => {
    const properties = { accepted: false, licenseTextLink: 'https://example.org/terms', signature: 'abc' }
    found({ plan }, { status: 200, body: { id: 'agreement', properties } })
    const driver = await driverFor()
    const terms = { plan, accepted: false, link: 'https://example.org/terms' }
    expect(await driver.imageTerms?.(rocky)).toEqual(terms)
    const sent: unknown[] = []
    const before = azure.answer
    azure.answer = (method, url, body) => {
      if (method === 'PUT') sent.push(JSON.parse(body))
      return before?.(method, url, body)
    }
    await driver.acceptTerms?.(plan)
    expect(sent).toEqual([{ id: 'agreement', properties: { ...properties, accepted: true } }])
  })

  it('may have no plan, or terms that this application may not read', async () => {
    found({}, { status: 500 })
    expect(await (await driverFor()).imageTerms?.(rocky)).toBeNull()
    found({ plan }, { status: 403, body: { error: { code: 'AuthorizationFailed', message: 'no' } } })
    expect(await (await driverFor()).imageTerms?.(rocky)).toEqual({ plan, accepted: null, link: '' })
    await expect((await driverFor()).imageTerms?.({ ...rocky, offer: '..' })).rejects.toThrow(
      'needs a publisher',
    )
  })

  it('is deployed with the reported plan, and otherwise with the usual one', async () => {
    const { variables, marketplaceImages } = await cloudProviders.azure.infrastructure()
    const deployment = { ...deploymentOf(clusterOf('azure')), osType: 'rocky-9' }
    const [image] = marketplaceImages?.(deployment) ?? []
    expect(image).toMatchObject(rocky)
    const planOf = (imagePlans?: object) => {
      const { head } = variables({ ...deployment, ...imagePlans }) as {
        head: { reference: { plan: unknown } }
      }
      return head.reference.plan
    }
    expect(planOf()).toEqual({ publisher: 'resf', product: 'rockylinux-x86_64', name: '9-base' })
    const urn = 'resf:rockylinux-x86_64:9-base:latest'
    expect(planOf({ imagePlans: { [urn]: plan } })).toEqual(plan)
    expect(planOf({ imagePlans: { [urn]: null } })).toBeNull()
  })
})

describe('a cluster', () => {
  let made: ReturnType<typeof makeAzureCluster>
  beforeAll(() => {
    made = makeAzureCluster(azure, 'first', 'My-Group')
    makeAzureCluster(azure, 'second', 'other')
    makeAzureCluster(azure, 'third', 'far', 'westeurope')
  })

  it('is found by its tag, with the engine’s ids, and without the boot disks of its machines', async () => {
    const found = await (await driverFor()).find('first')
    expect(found.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'azurerm_linux_virtual_machine first-head',
      'azurerm_linux_virtual_machine first-node1',
      'azurerm_managed_disk first-data',
      'azurerm_availability_set first-set',
      'azurerm_network_interface first-head',
      'azurerm_network_interface first-node1',
      'azurerm_public_ip first-nat',
      'azurerm_public_ip first-head',
      'azurerm_network_security_group first-head',
      'azurerm_nat_gateway first',
      'azurerm_virtual_network first',
      'azurerm_resource_group My-Group',
    ])
    expect(found[0]).toEqual({
      id: made.machines[0],
      type: 'azurerm_linux_virtual_machine',
      kind: 'machine',
      name: 'first-head',
      sizeGb: null,
      perHour: null,
      clusterId: 'first',
      region: 'eastus',
      machine: { instance_id: 'Standard_D4s_v5', ocpus: 0, mem: 0 },
    })
    expect(found[2]).toMatchObject({ id: made.disk, sizeGb: 100, diskType: 'StandardSSD_LRS' })
  })

  it('is found among all clusters in its region', async () => {
    const clusters = (await (await driverFor()).find(null)).map(({ clusterId }) => clusterId)
    expect(clusters).toHaveLength(24)
    for (const one of ['first', 'second']) expect(clusters.filter((id) => id === one)).toHaveLength(12)
    expect(await (await driverFor({}, 'westeurope')).find(null)).toHaveLength(12)
  })

  it('is deallocated and started', async () => {
    const driver = await driverFor()
    const states = () => made.machines.map((id) => azure.power.get(id.toLowerCase()))
    for (const _time of [1, 2]) {
      await driver.stop(made.machines, never)
      expect(states()).toEqual(['deallocated', 'deallocated'])
    }
    await driver.start(made.machines, never)
    expect(states()).toEqual(['running', 'running'])
    expect(azure.calls.some((call) => call.endsWith('/powerOff'))).toBe(false)
    await expect(driver.stop([`${made.machines[0]}-not`], never)).rejects.toMatchObject({ statusCode: 404 })
    await expect(driver.stop(made.machines, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    })
  })

  it('fails with Azure’s reason if there is no capacity to start it', async () => {
    azure.answer = (_method, url) =>
      url.pathname.endsWith('/start')
        ? { status: 409, body: { error: { code: 'AllocationFailed', message: 'Allocation failed.' } } }
        : undefined
    await expect((await driverFor()).start(made.machines, never)).rejects.toMatchObject({
      code: 'AllocationFailed',
      message: expect.stringContaining('Allocation failed.'),
    })
  })

  it('can be removed one resource at a time, and missing resources count as removed', async () => {
    const driver = await driverFor()
    const found = await driver.find('first')
    const group = found.find(({ type }) => type === 'azurerm_resource_group')
    if (group) await expect(driver.remove(group, never)).rejects.toThrow('still holds')
    await removeAllFound(driver, 'first')
    expect([...azure.resources.values()].filter(({ tags }) => tags.flotilla_cluster === 'first')).toEqual([])
    for (const one of found) await driver.remove(one, never)
    expect(await driver.find('second')).toHaveLength(12)
  })

  it('is removed together with its subnet in a user’s own network', async () => {
    const network = made.subnet.replace('/virtualNetworks/first', '/virtualNetworks/company')
    for (const name of ['first', 'theirs']) {
      const id = network.replace(/first$/, name)
      const properties = { natGateway: { id: made.gateway } }
      azure.resources.set(id.toLowerCase(), {
        id,
        name,
        type: SUBNET,
        location: 'eastus',
        tags: {},
        properties,
      })
    }
    azure.resources.set(made.gateway.toLowerCase(), {
      id: made.gateway,
      name: 'first',
      type: 'Microsoft.Network/natGateways',
      location: 'eastus',
      tags: { flotilla_cluster: 'first' },
      properties: {},
    })
    await removeAllFound(await driverFor(), 'first')
    expect(azure.resources.has(network.toLowerCase())).toBe(false)
    expect(azure.resources.get(network.replace(/first$/, 'theirs').toLowerCase())?.properties).toEqual({})
  })
})
