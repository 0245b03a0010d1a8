import { describe, expect, it } from 'vitest'
import { CloudData } from '@flotilla/contract/clusters/cloud'
import { found as foundResource } from './found'
import { NOT_BILLED } from '@flotilla/contract/clouds/providers'
import { everyNode, localPriceOf, priceOf, priceOfFound, priceOfMachine } from './price'
import type { Catalog } from './provider'
import { cloudProviders } from './registry'
import { machineOf } from './sizes'

const catalog: Catalog = {
  source: 'a list',
  date: '2026-01-02',
  regions: [{ name: 'One', region_id: 'one' }],
  sizes: [
    { name: 'big', instance_id: 'big', cores: 8 },
    { name: 'odd', instance_id: 'odd', cores: 8 },
    { name: 'flex', instance_id: 'flex', cores: 2, memory: 16, maxMemory: 40, flexible: true },
  ],
  prices: { one: { big: 0.1 } },
  accelerators: { one: { t4: 0.35 } },
  flexible: { flex: { ocpu: 0.025, gb: 0.0015 } },
  diskPrices: { one: { ssd: 0.073 } },
}
const data = (given: object) => CloudData.parse({ network: { region_id: 'one' }, ...given })
const inGivenNetwork = { network: { region_id: 'one', subnet_id: 'subnet-1' } }
const price = (given: object, list: Catalog | null = catalog) => {
  const cluster = data(given)
  return priceOf(list, cluster, { head: true, nodes: everyNode(cluster) }, null)
}

describe('the price of a cluster', () => {
  it('is the sum of its machines, disks and accelerators, with the source', () => {
    const found = price({
      ...inGivenNetwork,
      server: { instance_id: 'big', isPrivate: true, volume_size: 100, disk_type: 'ssd' },
      node: {
        group: [{ instance_id: 'big', count: 3 }],
        accelerator_type: 't4',
        accelerator_count: 2,
      },
      disks: [{ name: 'data', size: 1000, type: 'ssd' }],
    })
    // 4 machines at 0.1, 6 accelerators at 0.35, and 1100 GB at 0.073 per month of 730 hours.
    expect(found).toMatchObject({
      perHour: 0.4 + 2.1 + 0.11,
      currency: 'USD',
      unpriced: ['network traffic'],
      source: 'a list',
      date: '2026-01-02',
      note: null,
    })
    expect(found.perMonth).toBe(1905.3)
    expect(found.parts).toContainEqual({ what: 'nodes, big', count: 3, perHour: 0.3 })
  })

  it('lists Google’s Tier_1 networking, which is billed per node', () => {
    const group = [
      { instance_id: 'big', count: 2, tier1: true },
      { instance_id: 'big', count: 1 },
    ]
    const { parts, unpriced } = price({ ...inGivenNetwork, server: { instance_id: 'big' }, node: { group } })
    expect(parts).toContainEqual({ what: 'Tier_1 networking', count: 2, perHour: null })
    expect(unpriced).toContain('Tier_1 networking')
  })

  it('lists parts without a price, which are not in the sum', () => {
    const found = price({
      server: { instance_id: 'big', volume_size: 50 },
      node: { group: [{ instance_id: 'odd', count: 2 }] },
    })
    expect(found.perHour).toBe(0.1)
    expect(found.unpriced).toEqual([
      'nodes, odd',
      'head node disk, 50 GB',
      'public address of the head node',
      'NAT gateway for the nodes',
      'network traffic',
    ])
  })

  it('is the on-demand price for spot machines, which cost less', () => {
    const group = { instance_id: 'big', count: 2 }
    const found = price({ ...inGivenNetwork, node: { group: [group, { ...group, spot: true }] } })
    expect(found.parts).toContainEqual({ what: 'nodes, big', count: 2, perHour: 0.2 })
    expect(found.parts).toContainEqual({ what: 'spot nodes at most, big', count: 2, perHour: 0.2 })
  })

  it('is unknown rather than zero if no part has a price', () => {
    expect(price({ server: { instance_id: 'odd' } })).toMatchObject({ perHour: null, perMonth: null })
    expect(price({ server: {} })).toMatchObject({ perHour: null })
    expect(price({ server: { instance_id: 'big' } }, null)).toMatchObject({ perHour: null, date: '' })
    const elsewhere = data({ network: { region_id: 'two' }, server: { instance_id: 'big' } })
    expect(priceOf(catalog, elsewhere, { head: true, nodes: [] }, null).perHour).toBeNull()
  })

  it('that is stopped is the price of its disks, and lists what is kept without a price', () => {
    const stopped = (given: object) => {
      const cluster = data(given)
      return priceOf(catalog, cluster, { head: true, nodes: everyNode(cluster), stopped: true }, null)
    }
    const disk = { volume_size: 730, disk_type: 'ssd' }
    const found = stopped({
      server: { instance_id: 'big', ...disk },
      node: { ...disk, group: [{ instance_id: 'big', count: 2 }] },
    })
    expect(found.perHour).toBe(0.219)
    expect(found.unpriced).toEqual(['public address of the head node', 'NAT gateway for the nodes'])
    const inside = { ...inGivenNetwork, server: { instance_id: 'big', isPrivate: true } }
    expect(stopped(inside)).toMatchObject({ perHour: 0, unpriced: [] })
  })

  it('includes fast restore for each zone, also while the cluster is stopped', () => {
    const cluster = data({ ...inGivenNetwork, server: { instance_id: 'big', isPrivate: true } })
    const up = { head: true, nodes: [], stopped: true, fastRestores: 2 }
    const priced = { ...catalog, fastRestorePrices: { one: 0.75 } }
    expect(priceOf(priced, cluster, up, null)).toMatchObject({ perHour: 1.5, unpriced: [] })
    expect(priceOf(catalog, cluster, up, null)).toMatchObject({
      perHour: null,
      unpriced: ['fast snapshot restore, per zone'],
    })
  })

  it('is only that of its disks if these were kept', () => {
    const left = data({
      server: { instance_id: 'big', volume_size: 50 },
      disks: [{ name: 'data', size: 730, type: 'ssd' }],
    })
    expect(priceOf(catalog, left, { head: false, nodes: [] }, null)).toMatchObject({
      perHour: 0.073,
      unpriced: [],
    })
  })

  it('includes OCPUs and memory of flexible shapes', () => {
    const each = (ocpus: number, mem: number) =>
      priceOfMachine(catalog, 'one', { instance_id: 'flex', ocpus, mem })
    expect(each(2, 16)).toBeCloseTo(2 * 0.025 + 16 * 0.0015, 9)
    expect(each(0, 0)).toBeCloseTo(0.025 + 16 * 0.0015, 9)
    expect(each(4, 0)).toBeCloseTo(4 * 0.025 + 40 * 0.0015, 9)
    const [, , flex] = catalog.sizes
    expect(flex && machineOf(flex, { ocpus: 4, mem: 0 })).toEqual({ cores: 8, memory: 40, gpus: 0 })
  })

  it('on the simulated cloud has a note that it is not billed', () => {
    expect(priceOf(catalog, data({}), { head: true, nodes: [] }, NOT_BILLED).note).toBe(
      'estimate, not billed',
    )
  })
})

it('the price of a found resource is that of its size', () => {
  const thing = foundResource({ id: 'i', type: 't', kind: 'other', clusterId: 'c', region: 'one' })
  const machine = (instance_id: string, ocpus = 0, mem = 0) => ({
    ...thing,
    machine: { instance_id, ocpus, mem },
  })
  expect(priceOfFound(catalog, machine('big'))).toBe(0.1)
  expect(priceOfFound(catalog, machine('flex', 4, 20))).toBeCloseTo(4 * 0.025 + 20 * 0.0015)
  expect(priceOfFound(catalog, machine('unknown'))).toBeNull()
  expect(priceOfFound(catalog, { ...thing, diskType: 'ssd', sizeGb: 730 })).toBeCloseTo(0.073)
  expect(priceOfFound(catalog, { ...thing, diskType: 'other', sizeGb: 730 })).toBeNull()
  expect(priceOfFound(catalog, thing)).toBeNull()
  expect(priceOfFound(null, machine('big'))).toBeNull()
})

describe('the prices of the catalogs', () => {
  it('of flexible shapes match the prices that the source lists for their sizes', async () => {
    const oracle = await cloudProviders.oracle.catalog()
    const each = (shape: string, cores: number, mem: number) =>
      priceOfMachine(oracle, 'us-ashburn-1', { instance_id: shape, ocpus: cores / 2, mem })
    const listed: [string, number, number, number][] = [
      ['VM.Standard.E4.Flex', 2, 8, 0.037],
      ['VM.Standard.E4.Flex', 96, 768, 2.352],
      ['VM.Standard.E4.Flex', 128, 1024, 3.136],
      ['VM.Standard.E5.Flex', 2, 16, 0.062],
      ['VM.Standard.E5.Flex', 24, 96, 0.552],
      ['VM.Standard.E5.Flex', 128, 512, 2.944],
    ]
    for (const [shape, cores, mem, wanted] of listed)
      expect(each(shape, cores, mem), `${shape} ${cores} ${mem}`).toBeCloseTo(wanted, 9)
    expect(each('VM.Standard.A1.Flex', 2, 8)).toBeNull()
  })

  it('of types with GPUs include the GPUs', async () => {
    const gcp = await cloudProviders.gcp.catalog()
    // Two A100 GPUs at 2.93391 and the machine at 1.47895.
    expect(gcp?.prices['us-west1']?.['a2-highgpu-2g']).toBeCloseTo(7.34677, 9)
    expect(gcp?.accelerators?.['us-west1']?.['nvidia-tesla-t4']).toBe(0.35)
  })

  it('of GovCloud are unknown', async () => {
    const aws = await cloudProviders.aws.catalog()
    expect(aws?.prices['us-gov-east-1']).toEqual({})
  })
})

describe('the price of a local cluster', () => {
  const setAt = Date.parse('2026-11-15T12:00:00Z')
  it('is based on the prices that an admin set per core and GPU', () => {
    expect(localPriceOf({ cores: 64, gpus: 2 }, { perCoreHour: 0.01, perGpuHour: 0.5, setAt })).toMatchObject(
      { perHour: 1.64, perMonth: 1197.2, source: 'set by an admin', date: '2026-11-15' },
    )
  })
  it('is unknown until it is set, and free only if set to zero', () => {
    const unset = { perCoreHour: null, perGpuHour: null, setAt: null }
    expect(localPriceOf({ cores: 4, gpus: 0 }, unset)).toMatchObject({ perHour: null, unpriced: ['cores'] })
    expect(localPriceOf({ cores: 4, gpus: 0 }, { perCoreHour: 0, perGpuHour: null, setAt }).perHour).toBe(0)
    expect(localPriceOf({ cores: 4, gpus: 1 }, { perCoreHour: 0.1, perGpuHour: null, setAt })).toMatchObject({
      perHour: 0.4,
      unpriced: ['GPUs'],
    })
  })
})
