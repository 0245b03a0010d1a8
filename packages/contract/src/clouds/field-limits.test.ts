import { expect, it } from 'vitest'
import { clusterOutsideLimits, outsideLimits } from './field-limits'

const volume = { path: 'data.disk', unit: 'GB', min: 180, max: 1000 }

it('the message contains the limit and its unit', () => {
  const of = (disk: number) => outsideLimits([volume], { data: { disk } })
  expect(of(180)).toEqual([])
  expect(of(1000)).toEqual([])
  expect(of(0)).toEqual([['data.disk', 'At least 180 GB']])
  expect(of(1001)).toEqual([['data.disk', 'At most 1000 GB']])
  expect(outsideLimits([volume], {})).toEqual([])
})

it('checks the fields of each node group, and rejects sizes that are not offered', () => {
  const provider = {
    clusterFields: [],
    instanceSizes: [],
    groupFields: [
      { path: 'count', max: 2 },
      { path: 'instance_id', sizes: ['small'] },
    ],
  }
  const group = [
    { count: 1, instance_id: 'small' },
    { count: 3, instance_id: 'large' },
    { count: 2, instance_id: '' },
  ]
  expect(clusterOutsideLimits(provider, { data: { node: { group } } })).toEqual([
    ['data.node.group.1.count', 'At most 2'],
    ['data.node.group.1.instance_id', 'large is not an available size'],
  ])
})

it('limits a flexible size to its maximum cores and memory', () => {
  const flex = {
    name: 'E5.Flex',
    instance_id: 'flex',
    cores: 2,
    flexible: true,
    maxOcpus: 94,
    maxMemory: 1049,
  }
  const fixed = { name: 'Small', instance_id: 'small', cores: 2 }
  const provider = { clusterFields: [], groupFields: [], instanceSizes: [flex, fixed] }
  const data = {
    server: { instance_id: 'flex', ocpus: 95, mem: 1049 },
    node: {
      group: [
        { instance_id: 'small', ocpus: 200, mem: 0 },
        { instance_id: 'flex', ocpus: 94, mem: 2000 },
      ],
    },
  }
  expect(clusterOutsideLimits(provider, { data })).toEqual([
    ['data.server.ocpus', 'At most 94 OCPUs on E5.Flex'],
    ['data.node.group.1.mem', 'At most 1049 GB on E5.Flex'],
  ])
})

it('limits the nodes of all groups together, and reports the group that exceeds the limit', () => {
  const nothing = { clusterFields: [], groupFields: [], instanceSizes: [] }
  const of = (...counts: number[]) =>
    clusterOutsideLimits(nothing, { data: { node: { group: counts.map((count) => ({ count })) } } })
  expect(of(1000, 1000, 1000, 1000, 1000)).toEqual([])
  expect(of(1000, 1000, 1000, 1000, 1000, 1, 5)).toEqual([
    ['data.node.group.5.count', 'At most 5000 nodes in total'],
  ])
})
