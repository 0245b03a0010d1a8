import { ANYWHERE } from '@flotilla/contract/clusters/ranges'
import { $, type Body, partOf, prefixed, SSH_PORT } from '../module/module-parts'
import { VPN_PORT } from '../../cloud-init/scripts/firewall'

/** The tags and a name, given as an expression, because AWS stores names as tags. */
export const named = (name = 'var.prefix') => $(`merge(var.tags, {Name = ${name}})`)
const each = (over: string, body: Body): Body => ({ for_each: $(over), ...body })
const made = (body: Body) => each('var.network', body)
const rule = (group: string, body: Body): Body => ({
  security_group_id: $(`aws_security_group.${group}["made"].id`),
  tags: $('var.tags'),
  ...body,
})
const into = (ranges: string, ip_protocol: string, port: number) =>
  each(ranges, rule('head', { cidr_ipv4: $('each.value'), ip_protocol, from_port: port, to_port: port }))
const ofFirewall = (group: string, body: Body) => each('var.firewall', rule(group, body))

/** Machines need internet access when they start, in order to install software. */
export const egressResources = [
  'aws_route.public',
  'aws_route.private',
  'aws_route_table_association.public',
  'aws_route_table_association.private',
]

/** The network and subnets of the machines, whether they are created or exist. */
export const networkLocals = {
  vpc_id: $(
    'length(var.network) > 0 ? aws_vpc.network["made"].id : (var.vpc_id != "" ? var.vpc_id : data.aws_subnet.given["given"].vpc_id)',
  ),
  head_subnet: $(
    'length(var.network) > 0 ? (var.private ? aws_subnet.private["made"].id : aws_subnet.public["made"].id) : (length(var.inside) > 0 ? aws_subnet.inside["made"].id : var.subnet_id)',
  ),
  node_subnet: $(
    'length(var.network) > 0 ? aws_subnet.private["made"].id : (length(var.inside) > 0 ? aws_subnet.inside["made"].id : var.subnet_id)',
  ),
  // From the subnet rather than the head node, so that a new head node does not need new disks.
  disk_zone: $(
    'length(var.network) > 0 ? aws_subnet.private["made"].availability_zone : (length(var.inside) > 0 ? aws_subnet.inside["made"].availability_zone : data.aws_subnet.given["given"].availability_zone)',
  ),
  zone: $('var.zone != "" ? var.zone : element(data.aws_availability_zones.here.names, 0)'),
  node_firewall: $(
    'length(var.firewall) > 0 ? [aws_security_group.cluster["made"].id] : [var.security_group_id]',
  ),
  head_firewall: $(
    'length(var.firewall) > 0 ? [aws_security_group.cluster["made"].id, aws_security_group.head["made"].id] : [var.security_group_id]',
  ),
  networks: $(
    'concat([for range in var.network : range], [for subnet in aws_subnet.inside : subnet.cidr_block], [for subnet in data.aws_subnet.given : subnet.cidr_block])',
  ),
}

export const networkData = {
  // Local zones and the like require an opt-in.
  aws_availability_zones: {
    here: {
      state: 'available',
      filter: [{ name: 'opt-in-status', values: ['opt-in-not-required'] }],
    },
  },
  aws_vpc: { given: each('var.inside', { id: $('var.vpc_id') }) },
  aws_subnet: { given: each('var.given_subnet', { id: $('each.value') }) },
}

// The zone that AWS lists first may change, but a subnet cannot move.
const stays = { ignore_changes: ['availability_zone'] }

/**
 * The head node is in a subnet that is reachable from the internet, the nodes in one with outgoing access only. In a
 * network of the user's own, both are in one subnet, with the network's routes.
 */
const routes = {
  aws_vpc: {
    network: made({
      cidr_block: $('each.value'),
      enable_dns_support: true,
      enable_dns_hostnames: true,
      tags: named(),
    }),
  },
  aws_internet_gateway: {
    network: made({ vpc_id: $('aws_vpc.network["made"].id'), tags: named() }),
  },
  aws_subnet: {
    public: made({
      vpc_id: $('aws_vpc.network["made"].id'),
      cidr_block: $('cidrsubnet(each.value, 1, 0)'),
      availability_zone: $('local.zone'),
      tags: named('format("%s-public", var.prefix)'),
      lifecycle: stays,
    }),
    private: made({
      vpc_id: $('aws_vpc.network["made"].id'),
      cidr_block: $('cidrsubnet(each.value, 1, 1)'),
      availability_zone: $('local.zone'),
      tags: named('format("%s-private", var.prefix)'),
      lifecycle: stays,
    }),
    inside: each('var.inside', {
      vpc_id: $('var.vpc_id'),
      cidr_block: $(partOf('data.aws_vpc.given["made"].cidr_block')),
      availability_zone: $('local.zone'),
      // The nodes need internet access, which may require an address of their own there.
      map_public_ip_on_launch: $('!var.private'),
      tags: named(),
      lifecycle: stays,
    }),
  },
  aws_eip: {
    nat: made({
      domain: 'vpc',
      tags: named('format("%s-nat", var.prefix)'),
      depends_on: ['aws_internet_gateway.network'],
    }),
    head: each('{for name, address in var.address : name => address if address.id == ""}', {
      domain: 'vpc',
      tags: named(),
      // Public addresses depend on the gateway, and must be released before it is deleted.
      depends_on: ['aws_internet_gateway.network'],
    }),
  },
  aws_nat_gateway: {
    network: made({
      allocation_id: $('aws_eip.nat["made"].id'),
      subnet_id: $('aws_subnet.public["made"].id'),
      tags: named(),
      depends_on: ['aws_internet_gateway.network'],
    }),
  },
  aws_route_table: {
    public: made({ vpc_id: $('aws_vpc.network["made"].id'), tags: named('format("%s-public", var.prefix)') }),
    private: made({
      vpc_id: $('aws_vpc.network["made"].id'),
      tags: named('format("%s-private", var.prefix)'),
    }),
  },
  aws_route: {
    public: made({
      route_table_id: $('aws_route_table.public["made"].id'),
      destination_cidr_block: ANYWHERE,
      gateway_id: $('aws_internet_gateway.network["made"].id'),
    }),
    private: made({
      route_table_id: $('aws_route_table.private["made"].id'),
      destination_cidr_block: ANYWHERE,
      nat_gateway_id: $('aws_nat_gateway.network["made"].id'),
    }),
  },
  aws_route_table_association: {
    public: made({
      subnet_id: $('aws_subnet.public["made"].id'),
      route_table_id: $('aws_route_table.public["made"].id'),
    }),
    private: made({
      subnet_id: $('aws_subnet.private["made"].id'),
      route_table_id: $('aws_route_table.private["made"].id'),
    }),
  },
}

const firewall = {
  aws_security_group: {
    cluster: each('var.firewall', {
      name: prefixed('cluster'),
      description: 'All traffic between the machines of the cluster',
      vpc_id: $('local.vpc_id'),
      tags: named('format("%s-cluster", var.prefix)'),
    }),
    head: each('var.firewall', {
      name: prefixed('head'),
      description: "Access to the cluster's head node",
      vpc_id: $('local.vpc_id'),
      tags: named('format("%s-head", var.prefix)'),
    }),
  },
  aws_vpc_security_group_ingress_rule: {
    cluster: ofFirewall('cluster', {
      referenced_security_group_id: $('aws_security_group.cluster["made"].id'),
      ip_protocol: '-1',
    }),
    ssh: into('var.ssh', 'tcp', SSH_PORT),
    vpn: into('var.vpn', 'udp', VPN_PORT),
  },
  aws_vpc_security_group_egress_rule: {
    anywhere: ofFirewall('cluster', { cidr_ipv4: ANYWHERE, ip_protocol: '-1' }),
    // EFA requires a rule that refers to the security group itself instead of an address range.
    cluster: ofFirewall('cluster', {
      referenced_security_group_id: $('aws_security_group.cluster["made"].id'),
      ip_protocol: '-1',
    }),
  },
}

export const networkResources = { ...routes, ...firewall }
