import { type CloudClusterInput, CloudInfo } from '@flotilla/contract/clusters/cloud'
import { describe, expect, it } from 'vitest'
import { clusterOf, deploymentOf } from '../../../../../test/support/modules/deployment'
import { infrastructures } from '../../../../../test/support/modules/infrastructures'
import { cloudProviders } from '../../../../providers/registry'
import { type CloudCluster, Deployed } from '../../stored-cluster'
import { unfittingSizes } from './network'

/** The network variables of the AWS module for a cluster's nodes. */
async function variablesOf(input: CloudClusterInput, deployed: Deployed | null = null) {
  const catalog = await cloudProviders.aws.catalog()
  const { nodes, placement, adapters } = infrastructures.aws.variables(
    deploymentOf(input, catalog, deployed),
  ) as {
    nodes: Record<string, { place: string; adapters: string }>
    placement: Record<string, string>
    adapters: Record<string, unknown[]>
  }
  const places = Object.entries(nodes).map(([name, node]) => [name, `${node.place} ${node.adapters}`.trim()])
  return {
    nodes: Object.fromEntries(places) as Record<string, string>,
    placement,
    adapters: Object.entries(adapters).map(([key, list]) => `${key} ${list.length}`),
  }
}

/** Groups with EFA, each with a size, a prefix and a count. */
function withGroups(...groups: [instance_id: string, prefix: string, count: number][]) {
  const input = clusterOf('aws')
  const [first] = input.data.node.group
  if (!first) throw new Error('it has a group')
  input.data.node.group = groups.map(([instance_id, group_node_prefix, count]) => ({
    ...first,
    instance_id,
    group_node_prefix,
    count,
    efa: true,
  }))
  return input
}

/** Machines as the console records them. Versions that placed a cluster as a whole recorded no network. */
const recorded = (names: string[], network?: (name: string) => { place: string; efaInterfaces: number }) =>
  Deployed.parse({
    simulated: false,
    disks: {},
    madeFrom: '',
    machines: ['head', ...names].map((name) => ({
      id: `i-${name}`,
      name,
      role: name === 'head' ? 'head' : 'node',
      group: name === 'head' ? null : 0,
      instance_id: 'p4d.24xlarge',
      cores: 96,
      gpus: 8,
      privateIp: null,
      publicIp: null,
      ...(network && { network: { accelerated: false, ...network(name) } }),
    })),
  })

it('gives each group a placement group, and nodes an adapter on each network card of their size', async () => {
  const input = withGroups(['p4d.24xlarge', '', 1], ['p5.48xlarge', '', 1], ['c5n.18xlarge', 'slow', 2])
  expect(await variablesOf(input)).toEqual({
    nodes: {
      node1: 'node-1 4-adapters',
      node2: 'node-2 32-adapters',
      slow1: 'slow-1',
      slow2: 'slow-1',
    },
    placement: {
      'node-1': 'one-7-efa-node-1',
      'node-2': 'one-7-efa-node-2',
      'slow-1': 'one-7-efa-slow-1',
    },
    adapters: ['4-adapters 4', '32-adapters 32'],
  })
})

it('leaves clusters of older versions as they are, with one placement group for all nodes and one adapter', async () => {
  const input = withGroups(['p4d.24xlarge', '', 2], ['p4d.24xlarge', 'other', 1])
  expect(await variablesOf(input, recorded(['node1', 'node2', 'other1']))).toEqual({
    nodes: { node1: 'efa', node2: 'efa', other1: 'efa' },
    placement: { efa: 'one-7-efa' },
    adapters: [],
  })
  // A placement group without nodes stays too: an unedited cluster has nothing to change.
  input.info.bursting = { burstOnDeploy: false, mode: 'min' }
  expect(await variablesOf(input, recorded([]))).toEqual({
    nodes: {},
    placement: { efa: 'one-7-efa' },
    adapters: [],
  })
})

it('starts new nodes of such clusters in the placement group of their own group', async () => {
  const input = withGroups(['p4d.24xlarge', '', 2])
  expect((await variablesOf(input, recorded(['node1']))).nodes).toEqual({
    node1: 'efa',
    node2: 'node-1 4-adapters',
  })
  const changed = recorded(['node1'], () => ({ place: '', efaInterfaces: 1 }))
  expect((await variablesOf(input, changed)).placement).toEqual({
    'node-1': 'one-7-efa-node-1',
    efa: 'one-7-efa',
  })
})

it('keeps the placement of nodes when groups are added, removed or extended', async () => {
  const before = recorded(['node1', 'node2', 'big1'], (name) => ({
    place: name === 'node2' ? 'node-2' : name === 'big1' ? 'big-1' : 'node-1',
    efaInterfaces: 4,
  }))
  // The second group's node now belongs to the first group, and only the third group is left besides it.
  const input = withGroups(['p4d.24xlarge', '', 2], ['p4d.24xlarge', 'big', 1])
  expect((await variablesOf(input, before)).nodes).toEqual({
    node1: 'node-1 4-adapters',
    node2: 'node-2 4-adapters',
    big1: 'big-1 4-adapters',
  })
})

it('accelerates the network of new Azure machines whose size supports it, and puts InfiniBand nodes in no zone', () => {
  const input = clusterOf('azure')
  input.data.network.zone_id = '2'
  const [group] = input.data.node.group
  input.data.node.group = ['Standard_HB120rs_v3', 'Standard_D4s_v5', 'Standard_B2s'].flatMap((instance_id) =>
    group ? [{ ...group, instance_id, count: 1 }] : [],
  )
  const network = (deployed: Deployed | null) => {
    const { head, nodes, availability_sets } = infrastructures.azure.variables(
      deploymentOf(input, null, deployed),
    ) as Record<'head', Azure> & { nodes: Record<string, Azure>; availability_sets: object }
    const text = ({ zone, availability_set = '', accelerated }: Azure) =>
      [zone && `zone ${zone}`, availability_set, accelerated && 'accelerated'].filter(Boolean).join(', ')
    return [...[head, ...Object.values(nodes)].map(text), Object.keys(availability_sets).join()]
  }
  type Azure = { zone: string | null; availability_set?: string; accelerated: boolean }
  expect(network(null)).toEqual([
    'zone 2, accelerated',
    'standard_hb120rs_v3',
    'zone 2, accelerated',
    'zone 2',
    'standard_hb120rs_v3',
  ])
  // Machines of an older version keep their zone, and their network stays as it was.
  expect(network(recorded(['node1', 'node2', 'node3']))).toEqual(['zone 2', 'zone 2', 'zone 2', 'zone 2', ''])
})

describe('sizes that do not fit the network of existing machines', () => {
  const refused = async (input: CloudClusterInput, deployed: Deployed) => {
    const { provider, data, info } = input
    // Only the columns that are read.
    const cluster = { provider, data, info: CloudInfo.parse(info), deployed } as CloudCluster
    return unfittingSizes(cluster, await cloudProviders[provider].catalog())
  }
  const wired = (more: object) => recorded(['node1'], () => ({ place: 'node-1', efaInterfaces: 1, ...more }))

  it('on AWS are those with fewer network cards', async () => {
    const input = withGroups(['c5n.18xlarge', '', 1])
    expect(await refused(input, wired({ efaInterfaces: 4 }))).toEqual([
      [
        'data.node.group.0.instance_id',
        'node1 has 4 EFA adapters, but c5n.18xlarge supports only 1. Remove node1 first.',
      ],
    ])
    expect(await refused(withGroups(['p5.48xlarge', '', 1]), wired({ efaInterfaces: 4 }))).toEqual([])
    expect(await refused(input, wired({}))).toEqual([])
  })

  it('on Azure are those without accelerated networking or with InfiniBand', async () => {
    const input = clusterOf('azure')
    for (const group of input.data.node.group) Object.assign(group, { instance_id: 'Standard_B2s', count: 1 })
    expect((await refused(input, wired({ accelerated: true }))).map(([path]) => path)).toEqual([
      'data.node.group.0.instance_id',
    ])
    input.data.server.instance_id = 'Standard_B2s'
    expect((await refused(input, wired({ accelerated: true }))).map(([path]) => path)).toEqual([
      'data.server.instance_id',
      'data.node.group.0.instance_id',
    ])
    expect(await refused(input, wired({}))).toEqual([])
    for (const group of input.data.node.group) group.instance_id = 'Standard_HC44rs'
    expect((await refused(input, wired({})))[0]?.[1]).toMatch(/keep their size. Remove node1 first/)
  })
})
