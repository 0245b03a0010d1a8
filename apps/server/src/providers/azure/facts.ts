import { plain, secret } from '../authentication'
import { choicesOf } from '../fields/describe'
import { makeFacts } from '../facts'

const diskType = {
  help: 'Empty takes premium SSD where the size can have it, and standard SSD elsewhere.',
  choices: choicesOf({
    Premium_LRS: 'Premium SSD',
    StandardSSD_LRS: 'Standard SSD',
    Standard_LRS: 'Standard HDD',
  }),
}

export const azureFacts = makeFacts({
  id: 'azure',
  authentications: [
    plain('client_id', 'Client ID', { help: 'The application (client) id of the app registration.' }),
    secret('client_secret', 'Client secret', { help: "The secret's value, not its id." }),
    plain('subscription_id', 'Subscription ID', { icon: 'credit-card' }),
    plain('tenant_id', 'Tenant ID', { icon: 'building', help: 'The directory (tenant) id.' }),
  ],
  cluster: {
    'data.network.region_id': {},
    'data.network.zone_id': {
      help: 'The availability zone within the region; empty lets Azure choose, and regions without zones need none.',
    },
    'data.server.disk_type': diskType,
    'data.server.image_name': {
      help: "The id of an image of your own, or its name; empty takes the stack's, or the public one of the operating system.",
    },
    'data.node.disk_type': diskType,
    'data.resource_group_id': {},
    'data.network.network_id': {
      label: 'Virtual network',
      help: 'The id of a virtual network that exists; empty makes one for the cluster.',
    },
    'data.network.subnet_id': { help: 'The id of a subnet of that network; empty makes one.' },
    'data.network.security_group_id': {
      label: 'Network security group',
      help: 'The id of one that exists and lets SSH in; empty makes one for the cluster.',
    },
    'data.network.eip_id': {
      help: 'The id of a public IP address that you hold; empty takes a new one.',
    },
    'data.image_resource_group_name': {},
    'data.marketplace_image_reference.publisher': {},
    'data.marketplace_image_reference.offer': {},
    'data.marketplace_image_reference.sku': {},
    'data.marketplace_image_reference.marketplace_image_version': {},
  },
  group: {},
  stack: {
    'data.region_id': {},
    'data.disk_size': {},
    'data.type': diskType,
    'data.source_image': {
      help: 'The name of an image of your own to start from instead of the public one.',
    },
    'data.source_image_publisher': {},
    'data.source_image_offer': {},
    'data.source_image_sku': {},
    'data.source_resource_group_name': {},
    'data.resource_group_name': {},
    'data.subnet_network_id': {
      label: 'Virtual network',
      help: 'The name of the virtual network that the subnet is in.',
    },
    'data.subnet_id': { help: 'The name of a subnet of that network; empty makes one for the build.' },
  },
  refuses: { fsr: 'Fast snapshot restore exists only on AWS.' },
  noImage: {},
})
