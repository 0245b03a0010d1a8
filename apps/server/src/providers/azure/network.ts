import { $, type Body, partOf, prefixed, SSH_PORT } from '../module/module-parts'
import { VPN_PORT } from '../../cloud-init/scripts/firewall'

const each = (over: string, body: Body): Body => ({ for_each: $(over), ...body })
export const tagged: Body = {
  location: $('var.region'),
  resource_group_name: $('local.group'),
  tags: $('var.tags'),
}
// A machine in a zone cannot use an address without a zone.
const zones = $('var.zone == null ? null : [var.zone]')

/** Machines need internet access when they start, in order to install software. */
export const egressResources = [
  'azurerm_nat_gateway_public_ip_association.network',
  'azurerm_subnet_nat_gateway_association.network',
]

/** The group and network of the machines, whether they are created or exist. */
export const networkLocals = {
  group: $(
    'length(var.resource_group) > 0 ? azurerm_resource_group.cluster["made"].name : var.resource_group_name',
  ),
  subnet: $(
    'length(var.network) > 0 ? azurerm_subnet.network["made"].id : (length(var.inside) > 0 ? azurerm_subnet.inside["made"].id : var.subnet_id)',
  ),
  head_firewall: $(
    'length(var.firewall) > 0 ? azurerm_network_security_group.cluster["head"].id : var.security_group_id',
  ),
  node_firewall: $(
    'length(var.firewall) > 0 ? azurerm_network_security_group.cluster["node"].id : var.security_group_id',
  ),
  address: $(
    'var.private ? null : (var.address_id != "" ? var.address_id : azurerm_public_ip.cluster["head"].id)',
  ),
  networks: $(
    'flatten(concat([for range in var.network : [range]], [for subnet in azurerm_subnet.inside : subnet.address_prefixes], [for subnet in data.azurerm_subnet.given : subnet.address_prefixes]))',
  ),
}

export const networkData = {
  azurerm_virtual_network: {
    given: each('var.inside', {
      name: $('var.virtual_network_name'),
      resource_group_name: $('var.virtual_network_group'),
    }),
  },
  azurerm_subnet: {
    given: each('var.given_subnet', {
      name: $('each.value.name'),
      virtual_network_name: $('each.value.network'),
      resource_group_name: $('each.value.group'),
    }),
  },
}

const rule = (name: string, priority: number, protocol: string, port: number): Body => ({
  name,
  resource_group_name: $('local.group'),
  network_security_group_name: $('azurerm_network_security_group.cluster["head"].name'),
  priority,
  direction: 'Inbound',
  access: 'Allow',
  protocol,
  source_address_prefixes: $('each.value'),
  source_port_range: '*',
  destination_address_prefix: '*',
  destination_port_range: String(port),
})
const attached = (to: string, firewall: string): Body => ({
  network_interface_id: $(`azurerm_network_interface.${to}.id`),
  network_security_group_id: $(firewall),
})

/** One subnet: the nodes have no public addresses, and access the internet through the NAT gateway. */
export const networkResources = {
  azurerm_resource_group: {
    cluster: each('var.resource_group', {
      name: $('each.value'),
      location: $('var.region'),
      tags: $('var.tags'),
    }),
  },
  azurerm_virtual_network: {
    network: each('var.network', { ...tagged, name: $('var.prefix'), address_space: [$('each.value')] }),
  },
  azurerm_subnet: {
    network: each('var.network', {
      name: $('var.prefix'),
      resource_group_name: $('local.group'),
      virtual_network_name: $('azurerm_virtual_network.network["made"].name'),
      address_prefixes: [$('each.value')],
    }),
    inside: each('var.inside', {
      name: $('var.prefix'),
      resource_group_name: $('var.virtual_network_group'),
      virtual_network_name: $('var.virtual_network_name'),
      address_prefixes: [$(partOf('element(data.azurerm_virtual_network.given["made"].address_space, 0)'))],
    }),
  },
  azurerm_public_ip: {
    // The addresses of the head node and of the gateway, unless they exist already.
    cluster: each('var.addresses', {
      ...tagged,
      name: $('each.value'),
      allocation_method: 'Static',
      sku: 'Standard',
      zones,
    }),
  },
  azurerm_nat_gateway: {
    network: each('var.gateway', { ...tagged, name: $('var.prefix'), sku_name: 'Standard', zones }),
  },
  azurerm_nat_gateway_public_ip_association: {
    network: each('var.gateway', {
      nat_gateway_id: $('azurerm_nat_gateway.network["made"].id'),
      public_ip_address_id: $('azurerm_public_ip.cluster["nat"].id'),
    }),
  },
  azurerm_subnet_nat_gateway_association: {
    network: each('var.gateway', {
      nat_gateway_id: $('azurerm_nat_gateway.network["made"].id'),
      subnet_id: $('local.subnet'),
    }),
  },
  // Azure's default rules allow traffic within the network, and no other incoming traffic.
  azurerm_network_security_group: {
    cluster: each('var.firewall', { ...tagged, name: '${var.prefix}-${each.key}' }),
  },
  azurerm_network_security_rule: {
    ssh: each('var.ssh', rule('ssh', 100, 'Tcp', SSH_PORT)),
    vpn: each('var.vpn', rule('vpn', 110, 'Udp', VPN_PORT)),
  },
  azurerm_network_interface: {
    head: {
      ...tagged,
      name: prefixed('head'),
      accelerated_networking_enabled: $('var.head.accelerated'),
      ip_configuration: [
        {
          name: 'cluster',
          subnet_id: $('local.subnet'),
          private_ip_address_allocation: $('var.head.private_ip == null ? "Dynamic" : "Static"'),
          private_ip_address: $('var.head.private_ip'),
          public_ip_address_id: $('local.address'),
        },
      ],
    },
    node: each('var.nodes', {
      ...tagged,
      name: '${var.prefix}-${each.key}',
      accelerated_networking_enabled: $('each.value.accelerated'),
      ip_configuration: [
        { name: 'cluster', subnet_id: $('local.subnet'), private_ip_address_allocation: 'Dynamic' },
      ],
    }),
  },
  azurerm_network_interface_security_group_association: {
    head: attached('head', 'local.head_firewall'),
    node: each('var.nodes', attached('node[each.key]', 'local.node_firewall')),
  },
}
