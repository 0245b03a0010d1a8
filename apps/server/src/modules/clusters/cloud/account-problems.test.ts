import { describe, expect, it } from 'vitest'
import type { AccountChoice } from '@flotilla/contract/clouds/account-choices'
import type { ProviderId } from '@flotilla/contract/site/config'
import { clusterOf } from '../../../../test/support/modules/deployment'
import type { CloudCluster } from '../stored-cluster'
import { accountProblems, processorProblem } from './account-problems'

const deployed = { simulated: false, machines: [], packages: [], networks: [], madeFrom: '', disks: {} }
const clusterIn = (
  provider: ProviderId,
  network: object,
): Pick<CloudCluster, 'provider' | 'data' | 'deployed'> => {
  const { data } = clusterOf(provider)
  const disks = [
    { name: 'made', size: 10, type: '', id: '' },
    { name: 'old', size: 0, type: '', id: 'old' },
  ]
  return { provider, data: { ...data, disks, network: { ...data.network, ...network } }, deployed: null }
}
const known = (more: Partial<AccountChoice>): AccountChoice => ({ id: 'x', name: '', about: '', ...more })
const mirrored = [known({ zones: ['us-west1-a', 'us-west1-b'] })]

describe('an existing disk', () => {
  it('that can be attached in two zones is refused in a third', () => {
    const at = (zone_id: string) => accountProblems(clusterIn('gcp', { zone_id }), undefined, [mirrored])
    expect(at('us-west1-c')).toEqual([
      [
        'data.disks.1.id',
        'This disk can only be attached in us-west1-a or us-west1-b, the cluster is in us-west1-c',
      ],
    ])
    expect(at('us-west1-b')).toEqual([])
  })

  it('that is unknown, or available in any zone, is left to the cloud to check', () => {
    const cluster = clusterIn('gcp', { zone_id: 'us-west1-c' })
    expect(accountProblems(cluster, undefined, [[]])).toEqual([])
    expect(accountProblems(cluster, undefined, [[known({})]])).toEqual([])
    // Each zone has a disk of this name.
    expect(accountProblems(cluster, undefined, [[...mirrored, known({ zones: ['us-west1-c'] })]])).toEqual([])
  })

  it('determines the zone where none is chosen, except for a cluster that exists', () => {
    const disk = [known({ zones: ['us-east-1b'] })]
    const cluster = clusterIn('aws', { zone_id: '' })
    expect(accountProblems(cluster, undefined, [disk])).toEqual([
      ['data.network.zone_id', 'Choose us-east-1b, where the disk old is'],
    ])
    expect(accountProblems({ ...cluster, deployed }, undefined, [disk])).toEqual([])
  })

  it('matches a domain of Oracle with or without the name of the tenancy', () => {
    const disk = [known({ zones: ['Uocm:PHX-AD-2'] })]
    const at = (availability_domain: string) =>
      accountProblems(clusterIn('oracle', { availability_domain }), undefined, [disk]).map(([path]) => path)
    expect(at('PHX-AD-2')).toEqual([])
    expect(at('Uocm:PHX-AD-1')).toEqual(['data.disks.1.id'])
  })
})

describe('an existing subnet', () => {
  const subnet = known({ range: '10.0.5.0/24', zones: ['us-east-1a'] })
  const problems = (network: object, provider: ProviderId = 'aws') =>
    accountProblems(clusterIn(provider, { zone_id: '', ...network }), subnet, [])

  it.each([
    ['10.0.6.10', 'outside'],
    ['10.0.5.0', 'the first'],
    ['10.0.5.1', 'the gateway'],
    ['10.0.5.3', 'reserved by AWS'],
    ['10.0.5.255', 'the last'],
  ])('does not allow the address %s: %s', (private_static_ip) => {
    expect(problems({ private_static_ip })).toEqual([
      ['data.network.private_static_ip', 'Enter an address from 10.0.5.4 to 10.0.5.254'],
    ])
  })

  it('allows all other addresses', () => {
    expect(problems({ private_static_ip: '10.0.5.4' })).toEqual([])
    expect(problems({ private_static_ip: '' })).toEqual([])
  })

  it('in one zone is refused in another', () => {
    expect(problems({ zone_id: 'us-east-1b' })).toEqual([
      ['data.network.zone_id', 'The subnet is in us-east-1a'],
    ])
    expect(problems({ zone_id: 'us-east-1a' })).toEqual([])
  })
})

it('an image for another processor is refused on the field of the size', () => {
  const arm = { instance_id: 'c6g.large', arch: 'arm64' } as const
  const x86 = { instance_id: 't3.large', arch: 'x86_64' } as const
  expect(processorProblem(known({ arch: 'arm64' }), x86)).toEqual([
    ['data.server.instance_id', 'The image is for ARM, but t3.large is an x86 size'],
  ])
  expect(processorProblem(known({ arch: 'x86_64' }), arm)).toHaveLength(1)
  expect(processorProblem(known({ arch: 'arm64' }), arm)).toEqual([])
  expect(processorProblem(known({}), arm)).toEqual([])
  expect(processorProblem(undefined, arm)).toEqual([])
})
