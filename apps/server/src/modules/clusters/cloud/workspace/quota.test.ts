import { expect, test } from 'vitest'
import { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import { driverWith } from '../../../../../test/support/clouds/cloud-driver'
import type { Driver } from '../../../../providers/provider'
import type { Quotas } from '../../../../providers/quota/quota'
import { cloudProviders } from '../../../../providers/registry'
import type { CloudCluster } from '../../stored-cluster'
import { nodesAtDeploy } from '../../wanted-nodes'
import { checkQuotas } from './quota'

const { data, info } = CloudClusterInput.parse({
  name: 'Weather',
  provider: 'aws',
  credential_id: 'one',
  data: {
    network: { region_id: 'us-east-1' },
    server: { instance_id: 't3.large' },
    node: {
      group: [
        { count: 2, instance_id: 'c5.2xlarge' },
        { count: 4, instance_id: 'nosuch.size', group_node_prefix: 'gpu' },
      ],
    },
  },
})
// Only the fields that are compared.
const cluster = { provider: 'aws', deployed: null, data, info } as unknown as CloudCluster

const rowsOf = async (
  quotas: NonNullable<Driver['quotas']>,
  more: Partial<Parameters<typeof checkQuotas>[0]> = {},
) =>
  checkQuotas({
    cluster,
    catalog: await cloudProviders.aws.catalog(),
    driver: driverWith({ quotas }),
    credential: { secret_key: 'hidden-secret' },
    up: nodesAtDeploy(cluster),
    ...more,
  }).rows(20)

const vcpus = { name: 'vCPUs', unit: 'vCPUs', limit: 1000, used: 0, link: null }
const answer = (count: number): Quotas => ({
  quotas: { vcpus, vpcs: { ...vcpus, name: 'VPCs', limit: 5 } },
  machines: Array.from({ length: count }, () => ({ vcpus: 10 })),
  network: { vpcs: 1 },
})

test('a cloud that hangs or refuses leaves the quotas unknown, with the reason and the missing rights', async () => {
  const hung = await rowsOf(() => new Promise(() => {}))
  expect(new Set(hung.map(({ state, text }) => `${state}: ${text}`))).toEqual(
    new Set(['unknown: AWS did not report its quotas in time.']),
  )
  const denied = Object.assign(new Error('not authorized with hidden-secret'), {
    name: 'AccessDeniedException',
  })
  const [refused] = await rowsOf(() => Promise.reject(denied))
  expect(refused).toMatchObject({
    state: 'unknown',
    text: expect.stringContaining('servicequotas:GetServiceQuota'),
  })
  expect(refused?.text).not.toContain('hidden-secret')
})

test('queries only machines whose size is known, and networks that are created', async () => {
  const queried: string[] = []
  const rows = await rowsOf(async (machines) => {
    queried.push(...machines.map(({ instance_id, cores }) => `${instance_id} ${cores}`))
    return answer(machines.length)
  })
  expect(queried).toEqual(['t3.large 2', 'c5.2xlarge 8'])
  expect(rows.map(({ what, state }) => `${what}: ${state}`)).toEqual([
    'Head node: enough',
    'Group 1: enough',
    'gpu: unknown',
    'Network: enough',
  ])
})

test('several copies of a cluster need as many times as much, and what exists needs nothing', async () => {
  const many = await rowsOf(async (machines) => answer(machines.length), { copies: 20 })
  expect(many.find(({ what }) => what === 'Network')?.text).toMatch('15 of 20 networks would not fit')
  expect(many.find(({ what }) => what === 'Head nodes')?.text).toMatch('200 vCPUs needed')
  const deployed = {
    machines: [{ role: 'head', name: 'head' }, ...['node1', 'node2'].map((name) => ({ role: 'node', name }))],
  }
  const running = { ...cluster, deployed } as unknown as CloudCluster
  const rows = await rowsOf(async (machines) => answer(machines.length), { cluster: running })
  expect(rows.map(({ what }) => what)).toEqual(['gpu'])
})
