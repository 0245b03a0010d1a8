import { $, type Body, prefixed, SSH_PORT } from '../module/module-parts'
import { VPN_PORT } from '../../cloud-init/scripts/firewall'

const each = (over: string, body: Body): Body => ({ for_each: $(over), ...body })
/** Networks have no labels: their description contains the cluster. */
const described: Body = { description: $('var.mark') }

/** Machines need internet access when they start, in order to install software. */
export const egressResources = ['google_compute_router_nat.network']

/** The network and subnet of the machines, whether they are created or exist. */
export const networkLocals = {
  head_ip: $('google_compute_address.inside.address'),
  network: $(
    'length(var.network) > 0 ? google_compute_network.network["made"].self_link : (var.network_id != "" ? var.network_id : data.google_compute_subnetwork.given["given"].network)',
  ),
  subnet: $(
    'length(var.given_subnet) > 0 ? data.google_compute_subnetwork.given["given"].self_link : google_compute_subnetwork.network["made"].self_link',
  ),
  address: $(
    'var.address_ip != "" ? var.address_ip : join("", [for made in google_compute_address.head : made.address])',
  ),
  networks: $(
    'concat([for range in var.subnet_range : range], [for subnet in data.google_compute_subnetwork.given : subnet.ip_cidr_range])',
  ),
}

export const networkData = {
  google_compute_subnetwork: {
    given: each('var.given_subnet', {
      name: $('each.value.name'),
      self_link: $('each.value.self_link'),
      region: $('each.value.name == null ? null : var.region'),
    }),
  },
}

const rule = (name: string, body: Body): Body => ({
  ...described,
  name: prefixed(name),
  network: $('local.network'),
  ...body,
})
const into = (name: string, protocol: string, port: number): Body =>
  rule(name, {
    source_ranges: $('each.value'),
    target_tags: [prefixed('head')],
    allow: [{ protocol, ports: [String(port)] }],
  })

/** One subnet: the nodes have no public addresses, and access the internet through Cloud NAT. */
export const networkResources = {
  google_compute_network: {
    network: each('var.network', { ...described, name: $('var.prefix'), auto_create_subnetworks: false }),
  },
  google_compute_subnetwork: {
    network: each('var.subnet_range', {
      ...described,
      name: $('var.prefix'),
      region: $('var.region'),
      network: $('local.network'),
      ip_cidr_range: $('each.value'),
      private_ip_google_access: true,
    }),
  },
  google_compute_router: {
    network: each('var.subnet_range', {
      ...described,
      name: $('var.prefix'),
      region: $('var.region'),
      network: $('local.network'),
    }),
  },
  google_compute_router_nat: {
    network: each('var.subnet_range', {
      name: $('var.prefix'),
      region: $('var.region'),
      router: $('google_compute_router.network["made"].name'),
      nat_ip_allocate_option: 'AUTO_ONLY',
      source_subnetwork_ip_ranges_to_nat: 'LIST_OF_SUBNETWORKS',
      subnetwork: [{ name: $('local.subnet'), source_ip_ranges_to_nat: ['ALL_IP_RANGES'] }],
    }),
  },
  google_compute_firewall: {
    cluster: each(
      'var.firewall',
      rule('cluster', {
        source_tags: [$('var.prefix')],
        target_tags: [$('var.prefix')],
        allow: [{ protocol: 'all' }],
      }),
    ),
    ssh: each('var.ssh', into('ssh', 'tcp', SSH_PORT)),
    vpn: each('var.vpn', into('vpn', 'udp', VPN_PORT)),
  },
  google_compute_address: {
    // Kept when the head node is recreated, because nodes know it by its address.
    inside: {
      ...described,
      name: prefixed('inside'),
      region: $('var.region'),
      address_type: 'INTERNAL',
      subnetwork: $('local.subnet'),
      address: $('var.head.private_ip'),
      labels: $('var.tags'),
    },
    head: each('var.address', {
      ...described,
      name: $('each.value'),
      region: $('var.region'),
      labels: $('var.tags'),
    }),
  },
}
