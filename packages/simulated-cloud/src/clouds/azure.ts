import type { Values } from '../language/values'
import {
  blocksAt,
  objectAt,
  text,
  textAt,
  valueAt,
  type Cloud,
  type ResourceContext,
  type Kind,
} from './kind'
import { EXAMPLE, exceededText } from './quotas'

const path =
  (provider: string) =>
  ({ config, account }: ResourceContext) =>
    text(
      `/subscriptions/${account}/resourceGroups/${textAt(config, 'resource_group_name')}/providers/Microsoft.${provider}/`,
      valueAt(config, 'name'),
    )

/** Ids consist of names: two resources with the same name are the same resource. */
const thing = (provider: string, more: Partial<Kind> = {}): Kind => ({
  kind: 'network',
  ms: 60,
  id: path(provider),
  ...more,
  fixed: ['name', 'resource_group_name', 'location', ...(more.fixed ?? [])],
})

/** A part of another resource, which it refers to by name. */
const inside = (provider: string, parent: string, what: string): Kind => ({
  kind: 'network',
  part: true,
  ms: 60,
  id: (given) => {
    const config = { ...given.config, name: valueAt(given.config, parent) }
    return text(path(provider)({ ...given, config }), `/${what}/`, valueAt(given.config, 'name'))
  },
  fixed: ['name', parent, 'resource_group_name'],
})

const pair = (first: string, second: string): Kind => ({
  kind: 'other',
  part: true,
  ms: 40,
  id: ({ config }) => text(valueAt(config, first), '|', valueAt(config, second)),
  fixed: [first, second],
})

const firstBlock = (config: Values, name: string): Values => blocksAt(config, name)[0] ?? {}

const kinds: Record<string, Kind> = {
  azurerm_resource_group: {
    kind: 'other',
    ms: 60,
    id: ({ config, account }) => text(`/subscriptions/${account}/resourceGroups/`, valueAt(config, 'name')),
    fixed: ['name', 'location'],
  },
  azurerm_virtual_network: thing('Network/virtualNetworks'),
  azurerm_subnet: inside('Network/virtualNetworks', 'virtual_network_name', 'subnets'),
  azurerm_nat_gateway: thing('Network/natGateways', { ms: 120 }),
  azurerm_nat_gateway_public_ip_association: pair('nat_gateway_id', 'public_ip_address_id'),
  azurerm_subnet_nat_gateway_association: pair('subnet_id', 'nat_gateway_id'),
  azurerm_public_ip: thing('Network/publicIPAddresses', {
    kind: 'address',
    isPublic: () => true,
    gives: ({ seed }) => ({ ip_address: seed.publicIp }),
    fixed: ['sku', 'zones'],
  }),
  azurerm_network_security_group: thing('Network/networkSecurityGroups'),
  azurerm_network_security_rule: inside(
    'Network/networkSecurityGroups',
    'network_security_group_name',
    'securityRules',
  ),
  azurerm_network_interface: thing('Network/networkInterfaces', {
    network: (config) => firstBlock(config, 'ip_configuration').subnet_id ?? null,
    privateAddress: (config) => firstBlock(config, 'ip_configuration').private_ip_address ?? '',
    publicAddressOf: (config) => firstBlock(config, 'ip_configuration').public_ip_address_id ?? null,
    gives: ({ config, seed }) => {
      const address = firstBlock(config, 'ip_configuration').private_ip_address ?? seed.privateIp
      return { private_ip_address: address, private_ip_addresses: [address] }
    },
  }),
  azurerm_network_interface_security_group_association: pair(
    'network_interface_id',
    'network_security_group_id',
  ),
  azurerm_availability_set: thing('Compute/availabilitySets', { kind: 'other', held: true }),
  azurerm_proximity_placement_group: thing('Compute/proximityPlacementGroups', { kind: 'other' }),
  azurerm_linux_virtual_machine: thing('Compute/virtualMachines', {
    kind: 'machine',
    ms: 400,
    refuses: ({ availability_set_id: set, zone, priority }) =>
      set && (zone || priority === 'Spot')
        ? 'BadRequest: Virtual machines in an availability set can be neither in a zone nor of the priority Spot.'
        : '',
    addressOf: ({ network_interface_ids: nics }) => (Array.isArray(nics) ? (nics[0] ?? null) : null),
    gives: ({ seed }) => ({
      private_ip_address: seed.privateIp,
      public_ip_address: seed.publicIp,
      virtual_machine_id: seed.token,
    }),
    fixed: [
      'admin_username',
      'admin_ssh_key',
      'availability_set_id',
      'computer_name',
      'custom_data',
      'source_image_id',
      'source_image_reference',
      'zone',
    ],
  }),
  azurerm_managed_disk: thing('Compute/disks', {
    kind: 'volume',
    ms: 120,
    sizeGb: (config) => valueAt(config, 'disk_size_gb'),
    fixed: ['zone', 'create_option'],
  }),
  azurerm_virtual_machine_data_disk_attachment: {
    ...pair('virtual_machine_id', 'managed_disk_id'),
    fixed: ['virtual_machine_id', 'managed_disk_id', 'lun'],
    mountedOn: (config) => valueAt(config, 'virtual_machine_id'),
  },
}

/** The range of existing subnets, which are not created by a module. */
const GIVEN_RANGE = '10.0.0.0/20'

export const azure: Cloud = {
  prefix: 'azurerm_',
  kinds,
  other: thing('Other/things', { kind: 'other' }),
  account: (env) => env.ARM_SUBSCRIPTION_ID ?? '00000000-0000-0000-0000-000000000000',
  region: (_provider, config) => textAt(config, 'location', 'eastus'),
  tags: (config) => objectAt(config, 'tags'),
  data: {
    azurerm_image: (given) => ({ id: path('Compute/images')({ ...given, seed: nothing }) }),
    azurerm_resource_group: ({ config, account }) => ({
      id: `/subscriptions/${account}/resourceGroups/${textAt(config, 'name')}`,
      location: 'eastus',
    }),
    azurerm_virtual_network: (given) => ({
      id: path('Network/virtualNetworks')({ ...given, seed: nothing }),
      address_space: ['10.0.0.0/16'],
      location: 'eastus',
    }),
    azurerm_subnet: ({ config, account }) => ({
      id: `/subscriptions/${account}/resourceGroups/${textAt(config, 'resource_group_name')}/providers/Microsoft.Network/virtualNetworks/${textAt(config, 'virtual_network_name')}/subnets/${textAt(config, 'name')}`,
      address_prefixes: [GIVEN_RANGE],
    }),
    azurerm_public_ip: (given) => ({
      id: path('Network/publicIPAddresses')({ ...given, seed: nothing }),
      ip_address: '198.18.255.2',
    }),
    azurerm_subscription: ({ account }) => ({
      id: `/subscriptions/${account}`,
      subscription_id: account,
      display_name: 'simulated',
    }),
  },
  given: {
    range: GIVEN_RANGE,
    outside: (address, range) =>
      `PrivateIPAddressNotInSubnet: Private static IP address ${address} does not belong to the range of subnet prefix ${range}.`,
    taken: (address) =>
      `PrivateIPAddressIsAllocated: the private IP address ${address} is already allocated.`,
  },
  failures: {
    badCredential:
      'building account: could not acquire access token to parse claims: clientCredentialsToken: received HTTP status 401 with response: AADSTS7000215: Invalid client secret provided.',
    quota: exceededText.azure({ ...EXAMPLE, id: 'standardDSv5Family' }),
    capacity:
      'creating Linux Virtual Machine: performing CreateOrUpdate: unexpected status 409 (409 Conflict) with error: SkuNotAvailable: The requested VM size is not available in the location for your subscription right now.',
    busyDisk:
      'detaching Disk: performing CreateOrUpdate: unexpected status 409 (409 Conflict) with error: AttachDiskWhileBeingDetached: the disk is in use by the virtual machine.',
    bootTimeout:
      'waiting for creation of Linux Virtual Machine: polling after CreateOrUpdate: context deadline exceeded',
  },
}

const nothing = { id: null, privateIp: null, publicIp: null, token: null }
