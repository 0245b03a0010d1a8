import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { AZURE_KEY, startAzure, type FakeAzure } from '../../../test/support/clouds/azure'
import { PROJECT, startGcp, type FakeGcp } from '../../../test/support/clouds/gcp'
import { API_KEY, startMaas, type FakeMaas } from '../../../test/support/clouds/maas'
import { startOracle, type FakeOracle } from '../../../test/support/clouds/oracle'
import { explain } from '../explain'
import { cloudProviders } from '../registry'
import type { CountedMachine } from './quota'

// How the responses of each cloud are read; AWS's tests are in aws/account/account.soak.moto.test.ts.

let azure: FakeAzure
let gcp: FakeGcp
let oracle: FakeOracle
let maas: FakeMaas
beforeAll(async () => {
  ;[azure, gcp, oracle, maas] = await Promise.all([startAzure(), startGcp(), startOracle(), startMaas()])
})
afterEach(() => {
  azure.answer = null
  gcp.answer = null
  oracle.hidden.clear()
})
afterAll(() => Promise.all([azure, gcp, oracle, maas].map((one) => one.close())))

const machine = (instance_id: string, more: Partial<CountedMachine> = {}): CountedMachine => ({
  instance_id,
  ocpus: 0,
  mem: 0,
  spot: false,
  cores: 4,
  gpus: 0,
  gpuModel: '',
  accelerator: '',
  ...more,
})

test('Azure: the usages of a region, and of the size’s family', async () => {
  const usage = (value: string, localizedValue: string, currentValue: number, limit: number) => ({
    name: { value, localizedValue },
    currentValue,
    limit,
    unit: 'Count',
  })
  const pages: Record<string, object[]> = {
    '/providers/Microsoft.Compute/locations/eastus/usages': [
      usage('cores', 'Total Regional vCPUs', 20, 100),
      usage('lowPriorityCores', 'Total Regional Spot vCPUs', 0, 10),
      usage('standardDSv3Family', 'Standard DSv3 Family vCPUs', 4, 50),
    ],
    '/providers/Microsoft.Network/locations/eastus/usages': [
      usage('PublicIPAddresses', 'Public IP Addresses', 3, 1000),
      usage('VirtualNetworks', 'Virtual Networks', 2, 1000),
    ],
    '/providers/Microsoft.Compute/skus': [
      { resourceType: 'disks', name: 'Premium_LRS', locations: ['eastus'] },
      {
        resourceType: 'virtualMachines',
        name: 'Standard_D4s_v3',
        family: 'StandardDSv3Family',
        capabilities: null,
      },
    ],
  }
  azure.answer = (_method, url) => {
    const list = pages[url.pathname.replace(`/subscriptions/${AZURE_KEY.subscription_id}`, '')]
    return list && { status: 200, body: { value: list } }
  }
  const driver = await cloudProviders.azure.driver({
    credential: AZURE_KEY,
    region: 'eastus',
    endpoint: azure.url,
  })
  const requested = [
    machine('Standard_D4s_v3'),
    machine('Standard_D4s_v3', { spot: true }),
    machine('Standard_X1'),
  ]
  const found = await driver.quotas?.(requested, '')
  expect(found?.machines).toEqual([
    { cores: 4, standarddsv3family: 4 },
    { lowPriorityCores: 4 },
    'This subscription cannot use Standard_X1 in the region.',
  ])
  expect(found?.quotas).toMatchObject({
    cores: { name: 'Total Regional vCPUs', limit: 100, used: 20, unit: 'vCPUs' },
    standarddsv3family: { name: 'Standard DSv3 Family vCPUs', limit: 50, used: 4 },
    PublicIPAddresses: { unit: 'addresses', limit: 1000, used: 3 },
  })
})

test('Google Cloud: the quotas of the region and of the project', async () => {
  const path = `/compute/v1/projects/${PROJECT}`
  gcp.answer = (_method, url) => {
    if (url.pathname === `${path}/regions/us-west1`)
      return {
        status: 200,
        body: {
          name: 'us-west1',
          quotas: [
            { metric: 'N2_CPUS', limit: 24, usage: 8 },
            { metric: 'CPUS', limit: 72, usage: 0 },
            { metric: 'PREEMPTIBLE_CPUS', limit: 0, usage: 0 },
            { metric: 'IN_USE_ADDRESSES', limit: 8, usage: 1 },
            { metric: 'STATIC_ADDRESSES', limit: 8 },
          ],
        },
      }
    return url.pathname === path
      ? { status: 200, body: { name: PROJECT, quotas: [{ metric: 'NETWORKS', limit: 5, usage: 5 }] } }
      : undefined
  }
  const driver = await cloudProviders.gcp.driver({
    credential: gcp.key,
    region: 'us-west1',
    endpoint: gcp.url,
  })
  const found = await driver.quotas?.(
    [machine('n2-standard-4'), machine('n1-standard-4', { spot: true })],
    '',
  )
  expect(found?.machines).toEqual([{ N2_CPUS: 4 }, { CPUS: 4 }])
  expect(found?.quotas).toMatchObject({
    N2_CPUS: {
      limit: 24,
      used: 8,
      link: `https://console.cloud.google.com/iam-admin/quotas?project=${PROJECT}`,
    },
    NETWORKS: { limit: 5, used: 5 },
  })
})

test('Oracle Cloud: what is left of a shape’s limits in an availability domain', async () => {
  const shapes = [
    {
      shape: 'VM.Standard.E4.Flex',
      ocpus: 1,
      memoryInGBs: 16,
      quotaNames: ['standard-e4-core-count', 'standard-e4-memory-count'],
    },
    { shape: 'BM.GPU4.8', ocpus: 64, memoryInGBs: 2048, gpus: 8, quotaNames: ['gpu4-count'] },
  ]
  for (const [index, shape] of shapes.entries())
    oracle.things.set(`shape${index}`, {
      id: `shape${index}`,
      list: 'shapes',
      lifecycleState: '',
      displayName: '',
      freeformTags: {},
      ...shape,
    })
  oracle.limits['standard-e4-core-count'] = { used: 10, available: 90 }
  oracle.limits['standard-e4-memory-count'] = { used: 160, available: 1440 }
  oracle.limits['gpu4-count'] = { used: 0, available: 0 }
  const region = 'us-ashburn-1'
  const driver = await cloudProviders.oracle.driver({ credential: oracle.key, region, endpoint: oracle.url })
  const requested = [machine('VM.Standard.E4.Flex', { ocpus: 4 }), machine('BM.GPU4.8'), machine('VM.None')]
  const found = await driver.quotas?.(requested, 'US-ASHBURN-AD-1')
  expect(found?.machines).toEqual([
    { 'standard-e4-core-count': 4, 'standard-e4-memory-count': 64 },
    { 'gpu4-count': 8 },
    'This tenancy does not offer VM.None in the availability domain.',
  ])
  expect(found?.quotas).toMatchObject({
    'standard-e4-core-count': { unit: 'OCPUs', limit: 100, used: 10 },
    'gpu4-count': { unit: 'GPUs', limit: 0 },
    'vcn-count': { limit: 50, used: 1 },
  })
  // A response that is too large is not read completely.
  oracle.limits['gpu4-count'] = { used: 0, available: 0, padding: 'x'.repeat(17 * 1024 * 1024) }
  await expect(driver.quotas?.(requested, 'US-ASHBURN-AD-1')).rejects.toThrow('too large')
  // The service's response to users who may not read it.
  oracle.hidden.add('services')
  const refused = await driver.quotas?.(requested, 'US-ASHBURN-AD-1').catch((error: unknown) => error)
  expect(explain('Oracle Cloud', refused, String).kind).toBe('rights')
})

test('MAAS: the machines that are ready and fit', async () => {
  const ready = (index: number, more: object) =>
    Object.assign(maas.machines[index] ?? {}, {
      status_name: 'Ready',
      cpu_count: 32,
      memory: 131_072,
      ...more,
    })
  for (const [index, one] of maas.machines.entries())
    ready(index, {
      status_name: index < 2 ? 'Ready' : 'Deployed',
      tag_names: index === 0 ? ['gpu'] : [],
      zone: one.zone,
    })
  const driver = await cloudProviders.maas.driver({
    credential: { api_url: maas.url, api_key: API_KEY },
    region: '',
  })
  const total = maas.machines.length
  const found = await driver.quotas?.([machine(''), machine('tag:gpu'), machine('', { ocpus: 64 })], '')
  expect(found?.machines).toEqual([{ all: 1 }, { 'tag:gpu': 1, all: 1 }, { 'at least 64 cores': 1, all: 1 }])
  expect(found?.quotas).toMatchObject({
    all: { limit: total, used: total - 2, unit: 'machines', link: null },
    'tag:gpu': { limit: 1, used: 0 },
    'at least 64 cores': { limit: 0, used: 0 },
  })
})

test('current sizes: Azure by its list of SKUs, Oracle Cloud by its shapes', async () => {
  const sku = (name: string, more: Record<string, string>) => ({
    resourceType: 'virtualMachines',
    name,
    family: 'someFamily',
    capabilities: Object.entries(more).map(([key, value]) => ({ name: key, value })),
  })
  azure.answer = (_method, url) =>
    url.pathname.endsWith('/Microsoft.Compute/skus') &&
    url.searchParams.get('$filter') === "location eq 'swedencentral'"
      ? {
          status: 200,
          body: {
            value: [
              sku('Standard_ND96isr_H100_v5', { vCPUs: '96', MemoryGB: '1900', GPUs: '8' }),
              sku('Standard_D4ps_v5', { vCPUs: '4', MemoryGB: '16', CpuArchitectureType: 'Arm64' }),
              sku('Standard_E8-4s_v5', { vCPUs: '8', vCPUsAvailable: '4', MemoryGB: '64' }),
              sku('Standard_A1', { vCPUs: '1', MemoryGB: '1.75', HyperVGenerations: 'V1' }),
            ],
          },
        }
      : undefined
  const region = 'swedencentral'
  const onAzure = await cloudProviders.azure.driver({ credential: AZURE_KEY, region, endpoint: azure.url })
  expect((await onAzure.sizes?.())?.sizes).toEqual([
    { name: 'Standard_D4ps_v5', instance_id: 'Standard_D4ps_v5', cores: 4, memory: 16, arch: 'arm64' },
    { name: 'Standard_E8-4s_v5', instance_id: 'Standard_E8-4s_v5', cores: 4, memory: 64, arch: 'x86_64' },
    expect.objectContaining({ instance_id: 'Standard_ND96isr_H100_v5', cores: 96, gpus: 8 }),
  ])

  const add = (shape: string, more: object) =>
    oracle.things.set(shape, {
      id: shape,
      list: 'shapes',
      lifecycleState: '',
      displayName: '',
      freeformTags: {},
      shape,
      ...more,
    })
  oracle.things.clear()
  add('VM.Standard.A1.Flex', {
    processorDescription: '3.0 GHz Ampere® Altra™',
    ocpus: 1,
    ocpuOptions: { min: 1, max: 80 },
    memoryOptions: { maxInGBs: 512, defaultPerOcpuInGBs: 6 },
  })
  add('BM.GPU.H100.8', { ocpus: 112, memoryInGBs: 2048, gpus: 8, gpuDescription: 'NVIDIA® H100' })
  const onOracle = await cloudProviders.oracle.driver({
    credential: oracle.key,
    region: 'us-ashburn-1',
    endpoint: oracle.url,
  })
  const { sizes, source } = (await onOracle.sizes?.()) ?? {}
  expect(source).toBe('Oracle Cloud: ListShapes')
  expect(sizes?.map(({ name: _same, ...one }) => one)).toEqual([
    {
      instance_id: 'BM.GPU.H100.8',
      cores: 224,
      memory: 2048,
      arch: 'x86_64',
      gpus: 8,
      gpuModel: 'NVIDIA H100',
    },
    {
      instance_id: 'VM.Standard.A1.Flex',
      cores: 1,
      memory: 16,
      arch: 'arm64',
      flexible: true,
      maxOcpus: 80,
      maxMemory: 512,
    },
  ])
})
