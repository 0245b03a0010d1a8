import { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import { marketplace } from '@flotilla/contract/stacks/marketplace'
import { expect, it } from 'vitest'
import { cloudSchema } from '../cloud-form/values/cloud-values'
import { fittingEntries, imageText, systemName, launchBlockedReason } from './entry-text'
import { narrowed, valuesOfEntry } from './launch'
import { testProvider } from '../../../clouds/test-provider'

const provider = testProvider({
  id: 'gcp',
  name: 'GCP',
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
  clusterFields: [
    { path: 'data.server.volume_size', label: 'Disk', step: 'head', kind: 'number', min: 0 },
    { path: 'data.server.instance_id', label: 'Size', step: 'head', kind: 'size' },
    { path: 'data.server.isPrivate', label: 'Private', step: 'head', kind: 'switch' },
  ],
  groupFields: [{ path: 'instance_id', label: 'Size', step: 'nodes', kind: 'size' }],
  osTypes: ['rocky-9', 'ubuntu-22.04', 'ubuntu-24.04'].map((id) => ({ id, name: id })),
})
const entryOf = (id: number) => {
  const entry = marketplace.find((one) => one.id === id)
  if (!entry) throw new Error(`no entry ${id}`)
  return entry
}

it("uses the entry's defaults: first sizes, volume, count, prefixes, operating system", () => {
  const values = valuesOfEntry(entryOf(4), provider)
  expect(values).toMatchObject({
    name: 'AI training on Google Cloud',
    provider: 'gcp',
    info: { prefix: 'head', node_prefix: 'node', 'os-type': 'ubuntu-22.04' },
    data: {
      manager: 'slurm',
      gpu_software: 'cuda',
      // The first zone does not have the entry's GPUs.
      network: { region_id: 'us-west1', zone_id: 'us-west1-b' },
      server: { instance_id: 'n1-standard-8', volume_size: 180, image_name: '' },
      node: { group: [{ count: 1, instance_id: 'a2-highgpu-2g' }], volume_size: 180, idle_purge_s: 600 },
    },
  })
})

it('every entry yields a cluster that can be saved', () => {
  for (const entry of marketplace) {
    const values = valuesOfEntry(entry, { ...provider, id: entry.platform })
    expect(CloudClusterInput.safeParse({ ...values, credential_id: 'c' }).error).toBeUndefined()
  }
})

it('offers only regions, systems and sizes that the entry supports', () => {
  const { regions, osTypes, clusterFields, groupFields } = narrowed(provider, entryOf(4))
  expect(regions.map(({ region_id }) => region_id)).toEqual(['us-west1'])
  expect(regions[0]?.zones).toHaveLength(3)
  expect(osTypes.map(({ id }) => id)).toEqual(['ubuntu-22.04', 'ubuntu-24.04'])
  expect(clusterFields.map(({ min }) => min)).toEqual([180, undefined, undefined])
  // The head node and the other nodes have separate lists.
  expect(clusterFields[1]?.sizes).toContain('n1-standard-8')
  expect(clusterFields[1]?.sizes).not.toContain('a2-highgpu-2g')
  expect(groupFields[0]?.sizes).toEqual(['a2-highgpu-2g'])
})

it('rejects a smaller disk and a size from another list, each on its field', () => {
  const entry = entryOf(4)
  const values = { ...valuesOfEntry(entry, provider), credential_id: 'c' }
  const schema = cloudSchema(narrowed(provider, entry))
  expect(schema.safeParse(values).success).toBe(true)
  const { data } = values
  const server = { ...data.server, volume_size: 179, instance_id: 'a2-highgpu-2g' }
  const { error } = schema.safeParse({ ...values, data: { ...data, server } })
  expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
    ['data.server.volume_size', 'At least 180'],
    ['data.server.instance_id', 'a2-highgpu-2g is not an available size'],
  ])
})

it('finds entries by keyword, platform and target', () => {
  const ids = (text: string, platform = '', target = '') =>
    fittingEntries(marketplace, { text, platform, target }).map(({ id }) => id)
  expect(ids('')).toHaveLength(7)
  expect(ids('graviton')).toEqual([1])
  expect(ids('a2-highgpu')).toEqual([3, 4])
  expect(ids('slurm', 'gcp')).toEqual([3, 4])
  expect(ids('', '', 'k-12')).toEqual([5])
  expect(ids('no such thing')).toEqual([])
})

it('describes every image as a public image', () => {
  expect(systemName('ubuntu-24.04')).toBe('Ubuntu 24.04')
  for (const entry of marketplace) expect(imageText(entry)).toMatch(/^Boots from the public Ubuntu/)
})

it('gives the reason why an entry cannot be launched: upcoming, no access to the provider, no credential', () => {
  const nothing = { offered: [], withCredential: [], isAdmin: false }
  const [upcomingEntry, gcp] = [entryOf(5), entryOf(3)]
  expect(launchBlockedReason(upcomingEntry, nothing)).toBe('This entry is not available yet')
  expect(launchBlockedReason(gcp, nothing)).toMatch(/^GCP is not available to you/)
  const offered = { ...nothing, offered: ['gcp'], withCredential: ['aws'] }
  expect(launchBlockedReason(gcp, offered)).toMatch(/^No credential for GCP is shared with you/)
  expect(launchBlockedReason(gcp, { ...offered, isAdmin: true })).toMatch(/^No credential for GCP yet/)
  expect(launchBlockedReason(gcp, { ...offered, withCredential: ['gcp'] })).toBeNull()
})
