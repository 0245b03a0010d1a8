import type { FoundResource } from '../provider'

/** API versions of lists and networks. */
export const LISTS = '2021-04-01'
export const NETWORKS = '2024-05-01'

export const GROUPS = 'azurerm_resource_group'

interface Kind {
  /** The engine's name of the type. */
  type: string
  /** Azure's name of the type. */
  arm: string
  kind: FoundResource['kind']
}

/** The resource types that the module creates with tags; resources come before others that they depend on. */
export const kinds: Kind[] = [
  { type: 'azurerm_linux_virtual_machine', arm: 'Microsoft.Compute/virtualMachines', kind: 'machine' },
  { type: 'azurerm_managed_disk', arm: 'Microsoft.Compute/disks', kind: 'volume' },
  { type: 'azurerm_image', arm: 'Microsoft.Compute/images', kind: 'image' },
  { type: 'azurerm_availability_set', arm: 'Microsoft.Compute/availabilitySets', kind: 'other' },
  { type: 'azurerm_network_interface', arm: 'Microsoft.Network/networkInterfaces', kind: 'network' },
  { type: 'azurerm_public_ip', arm: 'Microsoft.Network/publicIPAddresses', kind: 'address' },
  { type: 'azurerm_network_security_group', arm: 'Microsoft.Network/networkSecurityGroups', kind: 'network' },
  { type: 'azurerm_nat_gateway', arm: 'Microsoft.Network/natGateways', kind: 'network' },
  { type: 'azurerm_virtual_network', arm: 'Microsoft.Network/virtualNetworks', kind: 'network' },
]
