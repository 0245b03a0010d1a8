import { CloudClusterInput } from '@flotilla/contract/clusters-cloud'
import { marketplace } from '@flotilla/contract/marketplace'
import type { Provider } from '@flotilla/contract/providers'
import { expect, it } from 'vitest'
import { fittingEntries, imageText, systemName } from './entry-words'
import { narrowed, valuesOfEntry } from './launch'

const provider: Provider = {
  id: 'gcp',
  name: 'GCP',
  authentications: [],
  regions: [
    {
      name: 'Oregon',
      region_id: 'us-west1',
      zones: ['us-west1-a', 'us-west1-b', 'us-west1-c', 'us-west1-x'].map((zone) => ({
        name: zone,
        zone_id: zone,
      })),
    },
    { name: 'Iowa', region_id: 'us-central1' },
  ],
  instanceSizes: ['n1-standard-8', 'a2-highgpu-2g', 'e2-standard-2'].map((name) => ({
    name,
    instance_id: name,
    cores: 8,
  })),
  catalogue: null,
  clusterFields: [
    { path: 'data.server.volume_size', label: 'Disk', step: 'head', kind: 'number', min: 0 },
    { path: 'data.server.isPrivate', label: 'Private', step: 'head', kind: 'switch' },
  ],
  groupFields: [],
  stackFields: [],
  refusals: [],
  osTypes: ['rocky-9', 'ubuntu-22.04', 'ubuntu-24.04'].map((id) => ({ id, name: id })),
  simulated: true,
}
const entryOf = (id: number) => {
  const entry = marketplace.find((one) => one.id === id)
  if (!entry) throw new Error(`no entry ${id}`)
  return entry
}

it("takes the entry's defaults: first sizes, volume, count, prefixes, system", () => {
  const values = valuesOfEntry(entryOf(4), provider)
  expect(values).toMatchObject({
    name: 'AI training on Google Cloud',
    provider: 'gcp',
    info: { prefix: 'head', node_prefix: 'node', 'os-type': 'ubuntu-22.04' },
    data: {
      manager: 'slurm',
      network: { region_id: 'us-west1', zone_id: 'us-west1-a' },
      server: { instance_id: 'n1-standard-8', volume_size: 180, image_name: '' },
      node: { group: [{ count: 1, instance_id: 'a2-highgpu-2g' }], volume_size: 180, idle_purge_s: 600 },
    },
  })
})

it('makes of every entry something that can be saved', () => {
  for (const entry of marketplace) {
    const values = valuesOfEntry(entry, { ...provider, id: entry.platform })
    expect(CloudClusterInput.safeParse({ ...values, credential_id: 'c' }).error).toBeUndefined()
  }
})

it('offers only what the entry is made for', () => {
  const { regions, instanceSizes, osTypes, clusterFields } = narrowed(provider, entryOf(4))
  expect(regions.map(({ region_id }) => region_id)).toEqual(['us-west1'])
  expect(regions[0]?.zones).toHaveLength(3)
  expect(instanceSizes.map(({ name }) => name)).toEqual(['n1-standard-8', 'a2-highgpu-2g'])
  expect(osTypes.map(({ id }) => id)).toEqual(['ubuntu-22.04', 'ubuntu-24.04'])
  expect(clusterFields.map(({ min }) => min)).toEqual([180, undefined])
})

it('finds entries by words, platform and target', () => {
  const ids = (text: string, platform = '', target = '') =>
    fittingEntries(marketplace, { text, platform, target }).map(({ id }) => id)
  expect(ids('')).toHaveLength(7)
  expect(ids('graviton')).toEqual([1])
  expect(ids('a2-highgpu')).toEqual([3, 4])
  expect(ids('slurm', 'gcp')).toEqual([3, 4])
  expect(ids('', '', 'k-12')).toEqual([5])
  expect(ids('no such thing')).toEqual([])
})

it('says that no image of its own is behind an entry', () => {
  expect(systemName('ubuntu-24.04')).toBe('Ubuntu 24.04')
  for (const entry of marketplace) expect(imageText(entry)).toMatch(/^Starts from the public image of Ubuntu/)
})
