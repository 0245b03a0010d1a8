import { CloudData, CloudInfo } from '@flotilla/contract/clusters/cloud'
import { expect, it } from 'vitest'
import { madeFrom } from './wanted-nodes'

const of = (data: CloudData) =>
  madeFrom({ data, info: CloudInfo.parse({}), stack_id: null, sealed_activation_key: null })

it('a cluster that an older version deployed counts as unedited', () => {
  const given = { node: { group: [{ instance_id: 't3.small' }] }, disks: [{ name: 'data', size: 10 }] }
  const now = CloudData.parse(given)
  // The data as it was stored before these fields existed.
  const newFields = new Set([
    'spot',
    'compact',
    'tier1',
    'rdma',
    'allowed_ranges',
    'mounts',
    'gpu_software',
    'id',
  ])
  const then: CloudData = JSON.parse(
    JSON.stringify(now, (key, value: unknown) => (newFields.has(key) ? undefined : value)),
  )
  expect(JSON.stringify(then)).not.toBe(JSON.stringify(now))
  expect(of(now)).toBe(of(then))
  const narrowed = { ...now, network: { ...now.network, allowed_ranges: ['10.0.0.0/8'] } }
  expect(of(narrowed)).not.toBe(of(then))
})
