import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { ProviderId } from '@flotilla/contract/site/config'
import { SPECIAL_GPU_SHAPE } from '@flotilla/contract/limits'
import { InstanceSize, Region } from '@flotilla/contract/clouds/providers'
import * as awsImages from './aws/images'
import * as azureImages from './azure/images'
import * as gcpImages from './gcp/images'
import { cloudProviders } from './registry'

const clouds = ['aws', 'azure', 'gcp', 'oracle'] as const
const catalogOf = async (id: ProviderId) => {
  const found = await cloudProviders[id].catalog()
  if (!found) throw new Error(`${id} has no catalog`)
  return found
}

/** Section 9 of the specification. */
const marketplace = {
  aws: [
    't2.large t2.xlarge t2.2xlarge c5n.9xlarge t4g.large t4g.xlarge t4g.2xlarge c6g.8xlarge c6gn.16xlarge',
    'us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 eu-central-1 eu-west-1 us-gov-east-1',
  ],
  azure: [
    'Standard_DS3_v2 Standard_DS4_v2 Standard_DS5_v2 Standard_HC44rs Standard_HB120rs_v3',
    'westus eastus',
  ],
  gcp: [
    'n1-standard-8 n1-standard-16 n1-standard-32 n1-standard-64 n1-standard-96 a2-highgpu-2g c3-standard-44 c3-standard-88 c3-standard-176 h3-standard-88',
    'us-west1',
  ],
} as const

describe.each(clouds)('catalog of %s', (id) => {
  it('contains its source, date and license', async () => {
    const file = JSON.parse(
      readFileSync(path.join(import.meta.dirname, id, 'catalog.json'), 'utf8'),
    ) as Record<string, unknown>
    expect(file).toMatchObject({ source: expect.stringMatching(/\S{10}/), license: 'Apache-2.0' })
    expect(file.date).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect((await catalogOf(id)).source).toBe(file.source)
  })

  it('has valid sizes and regions without duplicates, and positive prices for these only', async () => {
    const { sizes, regions, prices } = await catalogOf(id)
    z.array(InstanceSize).parse(sizes)
    z.array(Region).parse(regions)
    const ids = new Set(sizes.map((size) => size.instance_id))
    expect(ids.size).toBe(sizes.length)
    expect(new Set(regions.map(({ region_id }) => region_id)).size).toBe(regions.length)
    expect(Object.keys(prices).toSorted()).toEqual(regions.map(({ region_id }) => region_id).toSorted())
    for (const [region, list] of Object.entries(prices))
      for (const [size, price] of Object.entries(list)) {
        expect(ids.has(size), `${size} in ${region}`).toBe(true)
        expect(price, `${size} in ${region}`).toBeGreaterThan(0)
      }
    for (const { gpus, gpuModel } of sizes) expect(gpus === undefined).toBe(gpuModel === undefined)
    for (const { name } of regions) expect(name).not.toBe('')
  })

  it('has sizes with more than 96 cores', async () => {
    const { sizes } = await catalogOf(id)
    expect(Math.max(...sizes.map(({ cores }) => cores))).toBeGreaterThan(96)
  })
})

describe.each(Object.entries(marketplace))(
  'sizes and regions of the marketplace on %s',
  (id, [types, regions]) => {
    it('are in the catalog', async () => {
      const catalog = await catalogOf(id as ProviderId)
      for (const type of types.split(' '))
        expect(catalog.sizes.find(({ instance_id }) => instance_id === type)?.cores, type).toBeGreaterThan(0)
      for (const region of regions.split(' '))
        expect(
          catalog.regions.map(({ region_id }) => region_id),
          region,
        ).toContain(region)
    })
  },
)

it('the catalogs have the marketplace’s zones, the GPUs of accelerator types, and the special shape', async () => {
  const gcp = await catalogOf('gcp')
  const west = gcp.regions.find(({ region_id }) => region_id === 'us-west1')
  expect(west?.zones?.map(({ zone_id }) => zone_id)).toEqual(['us-west1-a', 'us-west1-b', 'us-west1-c'])
  expect(gcp.sizes.find(({ instance_id }) => instance_id === 'a2-highgpu-2g')).toMatchObject({
    gpus: 2,
    gpuModel: 'NVIDIA A100 40GB',
  })
  const oracle = await catalogOf('oracle')
  expect(oracle.sizes.find(({ instance_id }) => instance_id === SPECIAL_GPU_SHAPE)).toMatchObject({
    cores: 128,
    gpus: 8,
  })
  const aws = await catalogOf('aws')
  expect(aws.sizes.find(({ instance_id }) => instance_id === 'c6gn.16xlarge')).toMatchObject({
    arch: 'arm64',
    efa: true,
  })
})

it('the catalogs have the same architectures as the modules', async () => {
  for (const [id, of] of [
    ['aws', awsImages.architectureOf],
    ['azure', azureImages.architectureOf],
    ['gcp', gcpImages.architectureOf],
  ] as const)
    for (const { instance_id, arch } of (await catalogOf(id)).sizes)
      expect(arch, instance_id).toBe(of(instance_id))
})

it('the catalogs are small', () => {
  const bytes = clouds.map((id) => statSync(path.join(import.meta.dirname, id, 'catalog.json')).size)
  expect(bytes.reduce((all, one) => all + one, 0)).toBeLessThan(400_000)
})
