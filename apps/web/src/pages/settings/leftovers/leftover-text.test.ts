import type { Leftover } from '@flotilla/contract/clusters/leftovers'
import { expect, it } from 'vitest'
import { costOf, describeLeftover } from './leftover-text'

const disk: Leftover = {
  key: 'one',
  id: 'vol-1',
  type: 'aws_ebs_volume',
  name: 'aurora-data',
  kind: 'volume',
  sizeGb: 100,
  perHour: null,
  provider: 'aws',
  region: 'eu-west-1',
  credential: 'ours',
  cluster: 'Aurora',
  foundAt: 0,
}

it('describes a leftover by its name, or by its ID if it has none', () => {
  expect(describeLeftover(disk)).toBe('Disk aurora-data of Aurora, 100 GB')
  expect(describeLeftover({ ...disk, name: '', cluster: null, sizeGb: null })).toBe('Disk vol-1')
  expect(describeLeftover({ ...disk, name: 'disk of node1', cluster: null, sizeGb: null })).toBe(
    'disk of node1',
  )
  expect(describeLeftover({ ...disk, kind: 'other', name: 'key', sizeGb: null })).toBe('key of Aurora')
})

it('adds up known prices, counts items without a price, and returns null without any price', () => {
  expect(costOf([disk], false)).toBeNull()
  expect(costOf([disk, { ...disk, perHour: 0.1 }, { ...disk, perHour: 0.2 }], true)).toBe(
    'at least $0.30 per hour, $219.00 per month, plus aurora-data (no price); estimate, not billed',
  )
  expect(costOf([{ ...disk, perHour: 0.1 }], false)).toBe('$0.10 per hour, $73.00 per month')
})
