import { expect, it } from 'vitest'
import type { CloudCluster } from '../stored-cluster'
import { madeRange } from './made-range'

const range = (provider: CloudCluster['provider'], network: object, vcn_cidr = '') =>
  madeRange({ provider, data: { network, vcn_cidr } as CloudCluster['data'] })

it('is the whole network that is created, not the subnet of the head node', () => {
  for (const provider of ['aws', 'azure', 'gcp', 'oracle'] as const)
    expect(range(provider, {})).toBe('10.77.0.0/16')
  expect(range('oracle', {}, '10.1.0.0/16')).toBe('10.1.0.0/16')
})

it('is empty where no network is created', () => {
  expect(range('aws', { vpc_id: 'vpc-1' })).toBe('')
  expect(range('gcp', { subnet_id: 'mine' })).toBe('')
  expect(range('maas', {})).toBe('')
})
