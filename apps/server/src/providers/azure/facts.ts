import { plain, secret } from '../authentication'
import type { DiskType, SizeOption } from '@flotilla/contract/clouds/providers'
import { choicesOfDisks } from '../fields/describe'
import { azureGroup, azureId } from '../fields/formats'
import { makeFacts } from '../facts'
import { INFINIBAND_SIZES, PREMIUM_SIZES } from './images'

/** learn.microsoft.com/azure/virtual-machines/disks-types and managed-disks-overview, 2026-11-17. */
const sizes = { min: 1, max: 32_767, maxRoot: 4095 }
const diskTypes: DiskType[] = [
  { id: 'Premium_LRS', label: 'Premium SSD', ...sizes, sizes: PREMIUM_SIZES },
  { id: 'StandardSSD_LRS', label: 'Standard SSD', ...sizes },
  { id: 'Standard_LRS', label: 'Standard HDD', ...sizes },
]
const diskType = {
  help: 'Defaults to premium SSD where the size supports it, and to standard SSD elsewhere.',
  choices: choicesOfDisks(diskTypes),
}
const network = (...types: string[]) => azureId('Microsoft.Network', ...types)

const onlyX86 = { arch: ['x86_64' as const] }

/** InfiniBand requires an availability set, which cannot contain spot machines: docs/clouds.md. */
const spot: SizeOption = {
  path: 'spot',
  sizes: [{ pattern: `^(?!${INFINIBAND_SIZES})`, minCores: 0 }],
  otherwise: 'has no InfiniBand as a spot machine: MPI between its nodes uses the regular network.',
  warnsOnly: true,
}

export const azureFacts = makeFacts({
  id: 'azure',
  authentications: [
    plain('client_id', 'Client ID', { help: 'The application (client) ID of the app registration.' }),
    secret('client_secret', 'Client secret', { help: 'The secret’s value, not its ID.' }),
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
      fromAccount: true,
      help: 'The ID or name of your own image. Defaults to the stack’s image, or the public image of the operating system.',
    },
    'data.node.disk_type': diskType,
    'data.resource_group_id': { fromAccount: true, format: azureGroup },
    'data.network.network_id': {
      label: 'Virtual network',
      help: 'The ID of an existing virtual network. Leave empty to create one for the cluster.',
      fromAccount: true,
      format: network('virtualNetworks'),
    },
    'data.network.subnet_id': {
      help: 'The ID of a subnet of that network. Leave empty to create one.',
      fromAccount: true,
      within: 'data.network.network_id',
      format: network('virtualNetworks', 'subnets'),
    },
    'data.network.allowed_ranges': { when: { path: 'data.network.security_group_id', is: [''] } },
    'data.network.security_group_id': {
      label: 'Network security group',
      help: 'The ID of an existing one that allows SSH. Leave empty to create one for the cluster.',
      fromAccount: true,
      format: network('networkSecurityGroups'),
    },
    'data.network.eip_id': {
      help: 'The ID of a public IP address you own. Leave empty to allocate a new one.',
      fromAccount: true,
      format: network('publicIPAddresses'),
    },
    'data.image_resource_group_name': { fromAccount: true, format: azureGroup },
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
      fromAccount: true,
      within: 'data.source_resource_group_name',
      help: 'The name of your own image to start from instead of the public one.',
    },
    'data.source_image_publisher': {},
    'data.source_image_offer': {},
    'data.source_image_sku': {},
    'data.source_resource_group_name': { fromAccount: true, format: azureGroup },
    'data.resource_group_name': { fromAccount: true, format: azureGroup },
    'data.subnet_network_id': {
      label: 'Virtual network',
      fromAccount: true,
      help: 'The name of the virtual network that contains the subnet.',
    },
    'data.subnet_id': {
      fromAccount: true,
      within: 'data.subnet_network_id',
      help: 'The name of a subnet of that network. Leave empty to create one for the build.',
    },
  },
  refuses: { fsr: 'Fast snapshot restore is available only on AWS.' },
  noImage: {},
  images: { 'centos-7': onlyX86, 'rocky-8': onlyX86, 'rocky-9': onlyX86 },
  diskTypes,
  // The size of Canonical's and OpenLogic's images; no image that is used here is larger.
  rootDiskMin: 30,
  diskId: azureId('Microsoft.Compute', 'disks'),
  fileSystems: [
    { name: 'Azure Files', type: 'nfs', example: 'account.file.core.windows.net:/account/share' },
    { name: 'NetApp Files', type: 'nfs', example: '10.0.0.4:/volume' },
  ],
  sizeOptions: [spot],
  headSubnet: { bits: 0, first: 4, last: 1 },
})
