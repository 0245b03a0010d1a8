import { expect, it } from 'vitest'
import { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import { clusterOf } from '../../../../test/support/modules/deployment'
import type { CloudCluster } from '../stored-cluster'
import { withAttached } from './deploy/plan-text'
import { othersDisks } from './input'

// Only the fields that are checked.
const cluster = (more: Partial<CloudCluster>) =>
  ({
    id: 'other',
    owner_id: 'bob',
    kept_ids: [],
    deployed: null,
    data: { disks: [] },
    ...more,
  }) as unknown as CloudCluster
const disks = [{ name: 'old', size: 0, type: '', id: 'vol-1' }]
const ada = { id: 'ada', role: ['user' as const] }
const kept = cluster({ kept_ids: [{ id: 'vol-1', name: 'data', round: 0 }] })

it('refuses a disk that someone else’s cluster left behind, and one that is in use', () => {
  expect(othersDisks(ada, disks, [])).toEqual({})
  expect(othersDisks(ada, disks, [kept])).toEqual({ 'disks.0.id': 'This disk belongs to another user' })
  expect(othersDisks({ ...ada, id: 'bob' }, disks, [kept])).toEqual({})
  expect(othersDisks({ ...ada, role: ['admin'] }, disks, [kept])).toEqual({})
  const deployed = { simulated: false, machines: [], packages: [], networks: [], madeFrom: '' }
  const using = cluster({
    owner_id: 'ada',
    deployed: { ...deployed, disks: { d: { id: 'VOL-1', size: 1, hints: [] } } },
  })
  expect(othersDisks(ada, disks, [using])).toEqual({ 'disks.0.id': 'A cluster uses this disk' })
  // A cluster may keep a disk that it already has.
  expect(othersDisks(ada, disks, [kept], cluster({ data: { ...clusterOf('aws').data, disks } }))).toEqual({})
})

it.each([
  'https://www.googleapis.com/compute/v1/projects/lab/zones/z-a/disks/data',
  'projects/1234567/zones/z-a/disks/data',
  'zones/z-a/disks/data',
  'data',
  'projects/lab//zones/z-a/disks/data',
])('recognizes someone else’s disk given as %s', (id) => {
  const others = cluster({ kept_ids: [{ id: 'projects/lab/zones/z-a/disks/data', name: 'data', round: 0 }] })
  const named = [{ name: 'old', size: 0, type: '', id }]
  expect(othersDisks(ada, named, [others])).toEqual({ 'disks.0.id': 'This disk belongs to another user' })
  expect(othersDisks(ada, [{ name: 'old', size: 0, type: '', id: `${id}2` }], [others])).toEqual({})
})

it('recognizes a regional disk by the number of its project, and a zonal disk as a different one', () => {
  const at = 'regions/z/disks/data'
  const others = cluster({ kept_ids: [{ id: `projects/lab/${at}`, name: 'data', round: 0 }] })
  const refused = (id: string) =>
    Object.keys(othersDisks(ada, [{ name: 'a', size: 0, type: '', id }], [others]))
  expect(refused(`projects/1234567/${at}`)).toEqual(['disks.0.id'])
  expect(refused('projects/lab/zones/z-a/disks/data')).toEqual([])
})

it('lists an attached disk with its id in addition to what the engine created', () => {
  const deployed = { simulated: false, machines: [], packages: [], networks: [], madeFrom: '' }
  const { data } = clusterOf('aws')
  const both = [...disks, { name: 'later', size: 0, type: '', id: 'vol-2' }]
  const using = cluster({
    data: { ...data, disks: both },
    deployed: { ...deployed, disks: { old: { id: 'vol-1', size: 1, hints: [] } } },
  })
  expect(withAttached([], using)).toEqual([
    { id: 'vol-1', type: 'existing', name: 'disk old', kind: 'volume', sizeGb: null, perHour: null },
  ])
})

it.each([
  [{ disks: [{ name: 'a', id: 'vol-1 && reboot' }] }, 'data.disks.0.id'],
  [{ disks: [{ name: 'a' }] }, 'data.disks.0.size'],
  [{ mounts: [{ source: 'fs:/', path: '/etc/ssh' }] }, 'data.mounts.0.path'],
  [{ mounts: [{ source: 'fs:/', path: '/a/../etc' }] }, 'data.mounts.0.path'],
  [{ mounts: [{ source: 'fs:/x /etc', path: '/a' }] }, 'data.mounts.0.source'],
  [{ mounts: [{ source: 'fs:/', path: '/a', options: 'ro 0 0' }] }, 'data.mounts.0.options'],
])('rejects %j at its field', (data, field) => {
  const parsed = CloudClusterInput.safeParse({ name: 'One', provider: 'aws', credential_id: '1', data })
  expect(parsed.error?.issues.map(({ path }) => path.join('.'))).toEqual([field])
})
