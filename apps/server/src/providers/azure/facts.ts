import { plain, secret } from '../authentication'
import { choicesOf } from '../fields/describe'
import { makeFacts } from '../facts'

const diskType = {
  help: 'Defaults to premium SSD where the size supports it, and to standard SSD elsewhere.',
  choices: choicesOf({
    Premium_LRS: 'Premium SSD',
    StandardSSD_LRS: 'Standard SSD',
    Standard_LRS: 'Standard HDD',
  }),
}

export const azureFacts = makeFacts({
  id: 'azure',
  authentications: [
    plain('client_id', 'Client ID', { help: 'The application (client) ID of the app registration.' }),
    secret('client_secret', 'Client secret', { help: "The secret's value, not its ID." }),
    plain('subscription_id', 'Subscription ID', { icon: 'credit-card' }),
    plain('tenant_id', 'Tenant ID', { icon: 'building', help: 'The directory (tenant) ID.' }),
  ],
  cluster: {
    'data.network.region_id': {},
    'data.network.zone_id': {
      help: 'The availability zone within the region. Leave empty to let Azure choose, or in regions without zones.',
    },
    'data.server.disk_type': diskType,
    'data.server.image_name': {
      help: "The ID or name of your own image. Defaults to the stack's image, or the public image of the operating system.",
    },
    'data.node.disk_type': diskType,
    'data.resource_group_id': {},
    'data.network.network_id': {
      label: 'Virtual network',
      help: 'The ID of an existing virtual network. Leave empty to create one for the cluster.',
    },
    'data.network.subnet_id': { help: 'The ID of a subnet of that network. Leave empty to create one.' },
    'data.network.allowed_ranges': { when: { path: 'data.network.security_group_id', is: [''] } },
    'data.network.security_group_id': {
      label: 'Network security group',
      help: 'The ID of an existing one that allows SSH. Leave empty to create one for the cluster.',
    },
    'data.network.eip_id': {
      help: 'The ID of a public IP address you own. Leave empty to allocate a new one.',
    },
    'data.image_resource_group_name': {},
    'data.marketplace_image_reference.publisher': {},
    'data.marketplace_image_reference.offer': {},
    'data.marketplace_image_reference.sku': {},
    'data.marketplace_image_reference.marketplace_image_version': {},
  },
  group: { spot: {} },
  stack: {
    'data.region_id': {},
    'data.disk_size': {},
    'data.type': diskType,
    'data.source_image': {
      help: 'The name of your own image to start from instead of the public one.',
    },
    'data.source_image_publisher': {},
    'data.source_image_offer': {},
    'data.source_image_sku': {},
    'data.source_resource_group_name': {},
    'data.resource_group_name': {},
    'data.subnet_network_id': {
      label: 'Virtual network',
      help: 'The name of the virtual network that contains the subnet.',
    },
    'data.subnet_id': {
      help: 'The name of a subnet of that network. Leave empty to create one for the build.',
    },
  },
  refuses: { fsr: 'Fast snapshot restore is available only on AWS.' },
  noImage: {},
})
