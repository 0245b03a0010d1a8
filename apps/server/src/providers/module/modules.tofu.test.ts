import type { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { describe, expect, it } from 'vitest'
import { applied, unpacked } from '../../../test/support/modules/applied-module'
import { clusterOf, deploymentOf } from '../../../test/support/modules/deployment'
import { soakIt, variants } from '../../../test/support/soak'
import { cloudProviders } from '../registry'

type Change = (data: CloudClusterInput['data'], input: CloudClusterInput) => void
const changed = (provider: ProviderId, change: Change = () => {}) => {
  const input = clusterOf(provider)
  change(input.data, input)
  return deploymentOf(input)
}
const publicIps: Record<ProviderId, string> = {
  aws: '198.51.100.9',
  azure: '198.51.100.9',
  // The value that `known` returns for any address.
  gcp: '10.77.0.9',
  oracle: '198.51.100.9',
  maas: '',
}
const clouds = ['aws', 'azure', 'gcp', 'oracle'] as const
const machines = {
  aws: 'aws_instance.',
  azure: 'azurerm_linux_virtual_machine.',
  gcp: 'google_compute_instance.',
  oracle: 'oci_core_instance.',
}

describe.each(providerIds)('the module of %s, evaluated by the real engine', (provider) => {
  it('outputs the head node, the nodes by name and the disks', async () => {
    const { head, nodes, disks, things } = await applied(provider, changed(provider))
    expect(head.private_ip).toMatch(/^10\./)
    expect(head.public_ip).toBe(publicIps[provider])
    expect(Object.keys(nodes)).toEqual(['node1', 'node2'])
    expect(Object.keys(disks)).toEqual(provider === 'maas' ? [] : ['data'])
    // A node's user data contains the head node's address.
    const userData = JSON.stringify(things).replaceAll(/"([A-Za-z0-9+/]{40,}=*)"/g, (_, text: string) =>
      JSON.stringify(unpacked(text)),
    )
    expect(userData).toContain(
      String.raw`/etc/flotilla/head\",\"permissions\":\"0644\",\"content\":\"${head.private_ip}`,
    )
    expect(userData).not.toContain('FLOTILLA_HEAD_ADDRESS')
    expect(userData).not.toContain('FLOTILLA_SUBNET_RANGES')
  })
})

describe.each(variants(clouds))('the module of %s, evaluated by the real engine', (provider) => {
  it('creates no network, firewall or address and looks up no image if existing ones are given', async () => {
    const { made, things, head } = await applied(
      provider,
      changed(provider, (data, input) => {
        input.stack_id = '5'
        data.image_resource_group_name = 'images'
        data.network.subnet_id = '/subnets/given'
        data.network.security_group_id = 'group-given'
        data.server.image_name = '/images/of-the-head'
        data.server.isPrivate = true
        data.server.openvpn = true
        data.disks = []
      }),
    )
    const network =
      /vpc|network\.network|vcn|subnet\.|security_(group|list)\.|rule|firewall|eip|public_ip|address\.head|nat/
    expect(made.filter((address) => network.test(address))).toEqual([])
    expect(JSON.stringify(things)).toContain('group-given')
    expect(JSON.stringify(things)).toContain('/subnets/given')
    expect(head.public_ip).toBe('')
    const lookups = Object.keys(things).filter((address) => /^data\..*(ami|image)/.test(address))
    expect(lookups).toEqual(provider === 'azure' ? ['data.azurerm_image.own["image-5"]'] : [])
    const of = (name: string) =>
      JSON.stringify([things[machines[provider] + name], things[`google_compute_disk.${name}`]])
    expect(of('head')).toContain('/images/of-the-head')
    expect(of('node["node1"]')).toContain(provider === 'azure' ? 'id of data.azurerm_image.own' : 'image-5')
  })

  it('creates a subnet in an existing network', async () => {
    const { made, things } = await applied(
      provider,
      changed(provider, ({ network }) => {
        network.network_id = '/resourceGroups/theirs/virtualNetworks/given'
      }),
    )
    expect(
      made.filter((address) =>
        /^(aws_vpc|azurerm_virtual_network|google_compute_network|oci_core_vcn)\./.test(address),
      ),
    ).toEqual([])
    expect(made.filter((address) => /subnet(work)?\./.test(address))).toHaveLength(1)
    expect(JSON.stringify(things)).toMatch(/172\.31\.\d+\.0\/22|10\.\d+\.0\.0\/20/)
  })
})

soakIt('nodes with EFA have an EFA interface and are placed close to each other', async () => {
  const { things, made } = await applied(
    'aws',
    changed('aws', ({ node }) => {
      node.group = [...node.group, ...node.group].map((group, index) => ({
        ...group,
        count: 1,
        efa: index === 1,
      }))
    }),
  )
  expect(made).toContain('aws_placement_group.efa')
  expect(Object.keys(things).filter((address) => address.startsWith('aws_launch_template'))).toEqual([])
  expect(things['aws_instance.node["node1"]']).toMatchObject({
    placement_group: null,
    dynamic_primary_network_interface: [],
  })
  expect(things['aws_instance.node["node2"]']).toMatchObject({
    subnet_id: null,
    placement_group: 'one-7-efa-node-2',
    dynamic_primary_network_interface: [{ network_interface_id: 'id of aws_network_interface.efa' }],
  })
  expect(things['aws_network_interface.efa["node2"]']).toMatchObject({ interface_type: 'efa' })
})

soakIt('nodes have an adapter on each network card, and each group has its own placement group', async () => {
  const input = clusterOf('aws')
  const [group] = input.data.node.group
  input.data.node.group = ['p4d.24xlarge', 'c5n.18xlarge'].flatMap((instance_id, index) =>
    group ? [{ ...group, instance_id, count: 1, efa: true, group_node_prefix: `g${index}` }] : [],
  )
  const { things } = await applied('aws', deploymentOf(input, await cloudProviders.aws.catalog()))
  expect(things['aws_instance.node["g01"]']).toMatchObject({
    subnet_id: null,
    vpc_security_group_ids: null,
    placement_group: 'one-7-efa-g0-1',
    dynamic_primary_network_interface: [],
    dynamic_launch_template: [{ id: 'id of aws_launch_template.efa' }],
  })
  expect(things['aws_instance.node["g11"]']).toMatchObject({
    placement_group: 'one-7-efa-g1-1',
    dynamic_launch_template: [],
  })
  const { dynamic_network_interfaces: adapters } = Object(things['aws_launch_template.efa["4-adapters"]'])
  expect(adapters).toHaveLength(4)
  expect(adapters[0]).toMatchObject({ network_card_index: 0, device_index: 0, interface_type: 'efa' })
  expect(adapters[3]).toMatchObject({ network_card_index: 3, device_index: 1, interface_type: 'efa-only' })
  expect(things['aws_network_interface.efa["g01"]']).toBeUndefined()
})

soakIt('nodes with InfiniBand are in an availability set and no zone, others are in the zone', async () => {
  const { things } = await applied(
    'azure',
    changed('azure', ({ network, node }) => {
      network.zone_id = '2'
      node.group = ['Standard_HC44rs', 'Standard_D8s_v5'].flatMap((instance_id, index) =>
        node.group.map((group) => ({ ...group, instance_id, count: 1, group_node_prefix: `g${index}` })),
      )
    }),
  )
  expect(things['azurerm_linux_virtual_machine.node["g01"]']).toMatchObject({
    zone: null,
    availability_set_id: 'id of azurerm_availability_set.infiniband',
  })
  expect(things['azurerm_network_interface.node["g01"]']).toMatchObject({
    accelerated_networking_enabled: false,
  })
  expect(things['azurerm_linux_virtual_machine.node["g11"]']).toMatchObject({
    zone: '2',
    availability_set_id: null,
  })
  expect(things['azurerm_network_interface.node["g11"]']).toMatchObject({
    accelerated_networking_enabled: true,
  })
})

soakIt('compact placement and Tier_1 networking on Google Cloud apply per group', async () => {
  const { things } = await applied(
    'gcp',
    changed('gcp', ({ node }) => {
      node.group = [{}, { compact: true }, { compact: true, tier1: true }].flatMap((wishes, index) =>
        node.group.map((group) => ({
          ...group,
          ...wishes,
          instance_id: 'c2-standard-60',
          count: 1,
          group_node_prefix: `g${index}`,
        })),
      )
    }),
  )
  expect(Object.keys(things).filter((address) => address.includes('resource_policy'))).toEqual([
    'google_compute_resource_policy.compact["g1-1"]',
    'google_compute_resource_policy.compact["g2-1"]',
  ])
  expect(things['google_compute_resource_policy.compact["g1-1"]']).toMatchObject({
    name: 'one-7-g1-1',
    group_placement_policy: { collocation: 'COLLOCATED' },
  })
  const node = (name: string) => Object(things[`google_compute_instance.node["${name}"]`])
  const nic = (name: string) => node(name).network_interface[0].nic_type
  expect(node('g01')).toMatchObject({ resource_policies: null, dynamic_network_performance_config: [] })
  expect(node('g01').scheduling).toMatchObject({ on_host_maintenance: 'MIGRATE' })
  expect(node('g11')).toMatchObject({
    resource_policies: ['link of google_compute_resource_policy'],
    dynamic_network_performance_config: [],
  })
  expect(node('g11').scheduling).toMatchObject({ on_host_maintenance: 'TERMINATE' })
  expect(node('g21')).toMatchObject({
    dynamic_network_performance_config: [{ total_egress_bandwidth_tier: 'TIER_1' }],
  })
  expect([nic('g01'), nic('g11'), nic('g21')]).toEqual([null, null, 'GVNIC'])
})

soakIt('the nodes of a group on Oracle Cloud are in one RDMA network', async () => {
  const { things } = await applied(
    'oracle',
    changed('oracle', ({ node }) => {
      node.group = [false, true].flatMap((rdma, index) =>
        node.group.map((group) => ({ ...group, rdma, count: 1, group_node_prefix: `g${index}` })),
      )
    }),
  )
  expect(things['oci_core_compute_cluster.rdma["g1-1"]']).toMatchObject({
    display_name: 'one-7-g1-1',
    availability_domain: 'Uocm:PHX-AD-1',
  })
  expect(things['oci_core_instance.node["g01"]']).toMatchObject({
    compute_cluster_id: null,
    dynamic_agent_config: [],
  })
  const joined = Object(things['oci_core_instance.node["g11"]'])
  expect(joined.compute_cluster_id).toBe('id of oci_core_compute_cluster.rdma')
  expect(JSON.stringify(joined.dynamic_agent_config)).toContain('Compute HPC RDMA Auto-Configuration')
})

soakIt('a network on Oracle Cloud can be peered through a local peering gateway', async () => {
  const { things } = await applied(
    'oracle',
    changed('oracle', (data) => {
      data.LPG = 'ocid1.localpeeringgateway.theirs'
      data.local_cidr = '192.168.0.0/16'
      data.vcn_cidr = '10.5.0.0/16'
    }),
  )
  expect(things['oci_core_local_peering_gateway.network["peer"]']).toMatchObject({
    peer_id: 'ocid1.localpeeringgateway.theirs',
  })
  for (const table of ['public', 'private'])
    expect(things[`oci_core_route_table.${table}["made"]`]).toMatchObject({
      dynamic_route_rules: [{ destination: '192.168.0.0/16' }],
    })
  expect(things['oci_core_subnet.private["made"]']).toMatchObject({ cidr_block: '10.5.128.0/17' })
})

soakIt('text that looks like an expression is not evaluated', async () => {
  const evil = '${file("/etc/passwd")}'
  const deployment = changed('aws', (data, input) => {
    input.name = evil
    data.provision.script = evil
  })
  const tags = { ...deployment.tags, note: evil }
  const { things } = await applied('aws', { ...deployment, tags, headUserData: evil })
  expect(things['aws_vpc.network["made"]']).toMatchObject({ tags: { note: evil, flotilla_name: evil } })
  expect(unpacked(String(things['aws_instance.head']?.user_data_base64))).toBe(evil)
})
