import type { Definition } from './describe'

const onlyOracle = 'This exists only on Oracle Cloud.'

/** Networks, addresses and firewalls: what is named exists, what is not is made. */
export const networkFields = {
  'data.resource_group_id': {
    label: 'Resource group',
    help: 'A group that exists, by its name or id; empty makes one for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: 'Resource groups exist only on Azure.',
  },
  'data.network.vpc_id': {
    label: 'VPC',
    help: 'A network that exists; empty makes one for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: 'VPC ids are those of AWS: name the network in the field that this provider has for it.',
  },
  'data.network.vcn_id': {
    label: 'VCN',
    help: 'A virtual cloud network that exists; empty makes one for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: onlyOracle,
  },
  'data.network.network_id': {
    label: 'Network',
    help: 'A network that exists; empty makes one for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: 'Name the network in the field that this provider has for it.',
  },
  'data.network.subnet_id': {
    label: 'Subnet',
    help: 'A subnet that exists in that network; empty makes one.',
    step: 'network',
    kind: 'text',
  },
  'data.network.vswitch_id': {
    label: 'VSwitch',
    step: 'network',
    kind: 'text',
    elsewhere: 'VSwitches are those of Alibaba Cloud: name a subnet.',
  },
  'data.network.security_group_id': {
    label: 'Security group',
    help: 'One that exists and lets SSH in; empty makes one for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: 'This provider has no security groups.',
  },
  'data.network.firewall_id': {
    label: 'Firewall tag',
    help: 'The network tag that firewall rules of your own apply to; empty makes rules for the cluster.',
    step: 'network',
    kind: 'text',
    elsewhere: 'Only Google Cloud chooses firewall rules by a tag.',
  },
  'data.network.eip_id': {
    label: 'Public address',
    help: 'A reserved address for the head node; empty takes a new one.',
    step: 'network',
    kind: 'text',
    elsewhere: 'This provider does not know reserved addresses by an id.',
  },
  'data.network.fip_address': {
    label: 'Public address',
    help: 'A reserved address for the head node; empty takes a new one.',
    step: 'network',
    kind: 'text',
    elsewhere: 'This provider knows reserved addresses by their id, not by the address.',
  },
  'data.network.private_static_ip': {
    label: 'Private address of the head node',
    help: 'A fixed address in the subnet; empty takes any.',
    step: 'network',
    kind: 'text',
    advanced: true,
  },
  'data.vcn_cidr': {
    label: 'Address range of the VCN',
    help: 'The range of a network that is made for the cluster, as in 10.0.0.0/16.',
    step: 'network',
    kind: 'text',
    placeholder: '10.0.0.0/16',
    advanced: true,
    elsewhere: onlyOracle,
  },
  'data.LPG': {
    label: 'Local peering gateway',
    help: 'The gateway of another VCN that the cluster is joined to.',
    step: 'network',
    kind: 'text',
    advanced: true,
    elsewhere: 'Local peering gateways exist only on Oracle Cloud.',
  },
  'data.local_cidr': {
    label: 'Address range behind the gateway',
    help: 'What is reached through the local peering gateway, as in 10.1.0.0/16.',
    step: 'network',
    kind: 'text',
    advanced: true,
    elsewhere: onlyOracle,
  },
} satisfies Record<string, Definition>
