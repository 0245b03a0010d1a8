import { ANYWHERE } from '@flotilla/contract/clusters/ranges'
import { $, type Body, dynamic, partOf, prefixed, SSH_PORT } from '../module/module-parts'
import { VPN_PORT } from '../../cloud-init/scripts/firewall'

const each = (over: string, body: Body): Body => ({ for_each: $(over), ...body })
export const tagged: Body = {
  compartment_id: $('var.compartment_id'),
  freeform_tags: $('var.tags'),
}
const ofNetwork = (name: string, body: Body = {}) =>
  each('var.network', {
    ...tagged,
    vcn_id: $('oci_core_vcn.network["made"].id'),
    display_name: prefixed(name),
    ...body,
  })
const TCP = '6'
const UDP = '17'
const ICMP = '1'

/** The network and subnets of the machines, whether they are created or exist. */
export const networkLocals = {
  vcn_id: $(
    'length(var.network) > 0 ? oci_core_vcn.network["made"].id : (var.vcn_id != "" ? var.vcn_id : data.oci_core_subnet.given["given"].vcn_id)',
  ),
  head_subnet: $(
    'length(var.network) > 0 ? (var.private ? oci_core_subnet.private["made"].id : oci_core_subnet.public["made"].id) : (length(var.inside) > 0 ? oci_core_subnet.inside["made"].id : var.subnet_id)',
  ),
  node_subnet: $(
    'length(var.network) > 0 ? oci_core_subnet.private["made"].id : (length(var.inside) > 0 ? oci_core_subnet.inside["made"].id : var.subnet_id)',
  ),
  node_firewall: $(
    'length(var.firewall) > 0 ? [oci_core_network_security_group.cluster["made"].id] : [var.security_group_id]',
  ),
  head_firewall: $(
    'length(var.firewall) > 0 ? [oci_core_network_security_group.cluster["made"].id, oci_core_network_security_group.head["made"].id] : [var.security_group_id]',
  ),
  // The names of availability domains begin with a prefix of the tenancy: Uocm:PHX-AD-1.
  availability_domain: $(
    'one([for domain in data.oci_identity_availability_domains.here.availability_domains : domain.name if contains([lower(domain.name), lower(element(split(":", domain.name), 1))], lower(var.zone))])',
  ),
  networks: $(
    'concat([for range in var.network : range], [for subnet in oci_core_subnet.inside : subnet.cidr_block], [for subnet in data.oci_core_subnet.given : subnet.cidr_block])',
  ),
}

export const networkData = {
  oci_identity_availability_domains: { here: { compartment_id: $('var.compartment_id') } },
  oci_core_vcn: { given: each('var.inside', { vcn_id: $('var.vcn_id') }) },
  oci_core_subnet: { given: each('var.given_subnet', { subnet_id: $('each.value') }) },
}

const route = (to: string): Body => ({
  route_rules: [{ destination: ANYWHERE, destination_type: 'CIDR_BLOCK', network_entity_id: $(to) }],
  dynamic: dynamic('route_rules', 'length(var.peering) > 0', {
    destination: $('var.peering["peer"].range'),
    destination_type: 'CIDR_BLOCK',
    network_entity_id: $('oci_core_local_peering_gateway.network["peer"].id'),
  }),
})

/**
 * The head node is in a subnet that is reachable from the internet, the nodes in one with outgoing access only. In a
 * network of the user's own, both are in one subnet, with the network's routes.
 */
const routes = {
  oci_core_vcn: {
    network: each('var.network', {
      ...tagged,
      display_name: $('var.prefix'),
      cidr_blocks: [$('each.value')],
      // Without a DNS label, host names are not resolved.
      dns_label: $('var.dns_label'),
    }),
  },
  oci_core_internet_gateway: { network: ofNetwork('internet', { enabled: true }) },
  oci_core_nat_gateway: { network: ofNetwork('nat') },
  oci_core_local_peering_gateway: {
    network: each('var.peering', {
      ...tagged,
      vcn_id: $('oci_core_vcn.network["made"].id'),
      display_name: prefixed('peering'),
      peer_id: $('each.value.id'),
    }),
  },
  oci_core_route_table: {
    public: ofNetwork('public', route('oci_core_internet_gateway.network["made"].id')),
    private: ofNetwork('private', route('oci_core_nat_gateway.network["made"].id')),
  },
  // Replaces the network's default security list, which allows SSH to every machine.
  oci_core_security_list: {
    network: ofNetwork('network', {
      egress_security_rules: [{ protocol: 'all', destination: ANYWHERE }],
      // These ICMP messages are needed for path MTU discovery.
      ingress_security_rules: [{ protocol: ICMP, source: ANYWHERE, icmp_options: { type: 3, code: 4 } }],
    }),
  },
  oci_core_subnet: {
    public: ofNetwork('public', {
      cidr_block: $('cidrsubnet(each.value, 1, 0)'),
      dns_label: 'public',
      route_table_id: $('oci_core_route_table.public["made"].id'),
      security_list_ids: [$('oci_core_security_list.network["made"].id')],
    }),
    private: ofNetwork('private', {
      cidr_block: $('cidrsubnet(each.value, 1, 1)'),
      dns_label: 'private',
      prohibit_public_ip_on_vnic: true,
      route_table_id: $('oci_core_route_table.private["made"].id'),
      security_list_ids: [$('oci_core_security_list.network["made"].id')],
    }),
    inside: each('var.inside', {
      ...tagged,
      vcn_id: $('var.vcn_id'),
      display_name: $('var.prefix'),
      cidr_block: $(partOf('element(data.oci_core_vcn.given["made"].cidr_blocks, 0)')),
      dns_label: $('var.dns_label'),
      prohibit_public_ip_on_vnic: $('var.private'),
    }),
  },
}

const rule = (group: string, body: Body): Body => ({
  network_security_group_id: $(`oci_core_network_security_group.${group}["made"].id`),
  ...body,
})
const into = (protocol: string, options: string, port: number): Body =>
  rule('head', {
    direction: 'INGRESS',
    protocol,
    source: $('each.value'),
    source_type: 'CIDR_BLOCK',
    [options]: { destination_port_range: { min: port, max: port } },
  })
const group = (name: string) =>
  each('var.firewall', { ...tagged, vcn_id: $('local.vcn_id'), display_name: prefixed(name) })

const firewall = {
  oci_core_network_security_group: { cluster: group('cluster'), head: group('head') },
  oci_core_network_security_group_security_rule: {
    cluster: each(
      'var.firewall',
      rule('cluster', {
        direction: 'INGRESS',
        protocol: 'all',
        source: $('oci_core_network_security_group.cluster["made"].id'),
        source_type: 'NETWORK_SECURITY_GROUP',
      }),
    ),
    anywhere: each(
      'var.firewall',
      rule('cluster', {
        direction: 'EGRESS',
        protocol: 'all',
        destination: ANYWHERE,
        destination_type: 'CIDR_BLOCK',
      }),
    ),
    ssh: each('var.ssh', into(TCP, 'tcp_options', SSH_PORT)),
    vpn: each('var.vpn', into(UDP, 'udp_options', VPN_PORT)),
  },
}

export const networkResources = { ...routes, ...firewall }
