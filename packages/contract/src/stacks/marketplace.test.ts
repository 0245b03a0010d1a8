import { expect, it } from 'vitest'
import { marketplace, MarketplaceEntry } from './marketplace'

const of = (platform: string) => marketplace.filter((entry) => entry.platform === platform)
const sizesOf = (platform: string) =>
  [
    ...new Set(of(platform).flatMap(({ config }) => [...config.instance_type, ...config.computeNodeSize])),
  ].toSorted()
const sortedList = (text: string) => text.split(' ').toSorted()

it('has the seven entries, each with every field of the entity', () => {
  expect(marketplace.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6])
  for (const entry of marketplace) {
    expect(Object.keys(MarketplaceEntry.parse(entry).config).toSorted()).toEqual(
      Object.keys(MarketplaceEntry.shape.config.shape).toSorted(),
    )
    expect(entry.config.provider).toBe(entry.platform)
    expect(entry.target.length).toBeGreaterThan(0)
  }
})

it("has the specification's figures in all of them", () => {
  for (const { config, status } of marketplace) {
    expect(config).toMatchObject({ min_volume: 180, node_count: 1 })
    expect(status).toBe('available')
  }
})

it('has exactly the sizes and regions of the specification', () => {
  expect(sizesOf('aws')).toEqual(
    sortedList(
      't2.large t2.xlarge t2.2xlarge c5n.9xlarge t4g.large t4g.xlarge t4g.2xlarge c6g.8xlarge c6gn.16xlarge',
    ),
  )
  expect(sizesOf('azure')).toEqual(
    sortedList('Standard_DS3_v2 Standard_DS4_v2 Standard_DS5_v2 Standard_HC44rs Standard_HB120rs_v3'),
  )
  expect(sizesOf('gcp')).toEqual(
    sortedList(
      'n1-standard-8 n1-standard-16 n1-standard-32 n1-standard-64 n1-standard-96 a2-highgpu-2g c3-standard-44 c3-standard-88 c3-standard-176 h3-standard-88',
    ),
  )
  for (const { config } of of('aws'))
    expect(config.allowed_regions).toEqual(
      'us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 eu-central-1 eu-west-1 us-gov-east-1'.split(' '),
    )
  for (const { config } of of('azure')) expect(config.allowed_regions).toEqual(['westus', 'eastus'])
  for (const { config } of of('gcp'))
    expect([config.allowed_regions, config.allowed_zones]).toEqual([
      ['us-west1'],
      ['us-west1-a', 'us-west1-b', 'us-west1-c'],
    ])
})

it('no entry mixes processors, because an image does not start on another one', () => {
  const isArm = (type: string) => /^(t4g|c6gn?)\./.test(type)
  for (const { config } of marketplace) {
    const kinds = new Set([...config.instance_type, ...config.computeNodeSize].map(isArm))
    expect(kinds.size).toBe(1)
  }
})

it('every entry starts in an allowed zone, and installs a driver if its nodes have GPUs', () => {
  for (const { config } of marketplace) expect(['', ...config.allowed_zones]).toContain(config.start_zone)
  const gpus = marketplace.filter(({ config }) =>
    config.computeNodeSize.every((size) => size.startsWith('a2-')),
  )
  expect(gpus.map(({ config }) => [config.start_zone, config.gpu_software])).toEqual([['us-west1-b', 'cuda']])
})

it('no entry refers to an image without a documented source', () => {
  for (const { config } of marketplace) expect(config.marketplace_images).toEqual({})
})

it('every platform has an entry to launch, and coming-soon entries cannot be launched', () => {
  for (const platform of ['aws', 'azure', 'gcp'])
    expect(of(platform).some(({ action }) => action === 'Launch')).toBe(true)
  expect(marketplace.filter(({ action }) => action === 'Soon').map(({ id }) => id)).toEqual([5, 6])
})
