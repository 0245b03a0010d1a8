import type { Definition } from './describe'

const onlyOracle = 'Available only on Oracle Cloud.'

/** Networks, addresses and firewalls: what is named exists, what is not is made. */
export const networkFields = {
  'data.resource_group_id': {
    label: 'Resource group',
    help: 'The name or ID of an existing group. Leave empty to create one for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: 'Resource groups exist only on Azure.',
  },
  'data.network.vpc_id': {
    label: 'VPC',
    help: 'An existing network. Leave empty to create one for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: "VPC IDs are for AWS only. Enter the network in this provider's own field.",
  },
  'data.network.vcn_id': {
    label: 'VCN',
    help: 'An existing virtual cloud network. Leave empty to create one for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: onlyOracle,
  },
  'data.network.network_id': {
    label: 'Network',
    help: 'An existing network. Leave empty to create one for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: "Enter the network in this provider's own field.",
  },
  'data.network.subnet_id': {
    label: 'Subnet',
    help: 'An existing subnet of that network. Leave empty to create one.',
    step: 'network',
    kind: 'text',
  },
  'data.network.vswitch_id': {
    label: 'VSwitch',
    step: 'network',
    kind: 'text',
    elsewhere: 'VSwitches are for Alibaba Cloud only. Enter a subnet instead.',
  },
  'data.network.security_group_id': {
    label: 'Security group',
    help: 'An existing one that allows SSH. Leave empty to create one for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: 'This provider has no security groups.',
  },
  'data.network.firewall_id': {
    label: 'Firewall tag',
    help: 'The network tag that your own firewall rules apply to. Leave empty to create rules for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: 'Only Google Cloud selects firewall rules by tag.',
  },
  'data.network.eip_id': {
    label: 'Public address',
    help: 'A reserved address for the head node. Leave empty to allocate a new one.',
    step: 'network',
    kind: 'text',
    elsewhere: 'This provider does not identify reserved addresses by ID.',
  },
  'data.network.fip_address': {
    label: 'Public address',
    help: 'A reserved address for the head node. Leave empty to allocate a new one.',
    step: 'network',
    kind: 'text',
    elsewhere: 'This provider identifies reserved addresses by ID, not by the address.',
  },
  'data.network.private_static_ip': {
    label: 'Private address of the head node',
    help: 'A fixed address in the subnet. Leave empty to use any.',
    step: 'network',
    kind: 'text',
    advanced: true,
  },
  'data.vcn_cidr': {
    label: 'Address range of the VCN',
    help: 'The address range of a network created for the cluster, such as 10.0.0.0/16.',
    step: 'network',
    kind: 'text',
    placeholder: '10.0.0.0/16',
    advanced: true,
    elsewhere: onlyOracle,
  },
  'data.LPG': {
    label: 'Local peering gateway',
    help: 'The gateway of another VCN to connect the cluster to.',
    step: 'network',
    kind: 'text',
    advanced: true,
    elsewhere: 'Local peering gateways exist only on Oracle Cloud.',
  },
  'data.local_cidr': {
    label: 'Address range behind the gateway',
    help: 'The range reached through the local peering gateway, such as 10.1.0.0/16.',
    step: 'network',
    kind: 'text',
    advanced: true,
    elsewhere: onlyOracle,
  },
} satisfies Record<string, Definition>
