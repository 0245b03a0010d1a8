import { expect, it } from 'vitest'
import { clusterOutsideLimits, outsideLimits } from './field-limits'

const volume = { path: 'data.disk', unit: 'GB', min: 180, max: 1000 }

it('names the limit, with its unit', () => {
  const of = (disk: number) => outsideLimits([volume], { data: { disk } })
  expect(of(180)).toEqual([])
  expect(of(1000)).toEqual([])
  expect(of(0)).toEqual([['data.disk', 'At least 180 GB']])
  expect(of(1001)).toEqual([['data.disk', 'At most 1000 GB']])
  expect(outsideLimits([volume], {})).toEqual([])
})

it('knows the fields of each node group, and sizes that are not offered', () => {
  const provider = {
    clusterFields: [],
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
    ['data.node.group.1.instance_id', 'large is none of the sizes that are offered here'],
  ])
})
