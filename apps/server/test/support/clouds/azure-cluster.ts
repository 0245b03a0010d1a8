import { AZURE_KEY, type FakeAzure } from './azure'

const SUBSCRIPTION = `/subscriptions/${AZURE_KEY.subscription_id}`

/** Everything that the Azure module creates for a cluster of a head node, a node and a disk. */
export function makeAzureCluster(azure: FakeAzure, cluster: string, group: string, location = 'eastus') {
  const inGroup = (type: string, name: string) =>
    `${SUBSCRIPTION}/resourceGroups/${group}/providers/${type}/${name}`
  const add = (
    type: string,
    name: string,
    properties: Record<string, unknown> = {},
    more: { sku?: { name: string }; managedBy?: string } = {},
  ): string => {
    const id =
      type === 'Microsoft.Resources/resourceGroups'
        ? `${SUBSCRIPTION}/resourceGroups/${name}`
        : inGroup(type, name)
    azure.resources.set(id.toLowerCase(), {
      id,
      name,
      type,
      location,
      properties,
      tags: { flotilla_cluster: cluster },
      ...more,
    })
    return id
  }
  const ref = (id: string) => ({ id })

  add('Microsoft.Resources/resourceGroups', group)
  const gatewayId = inGroup('Microsoft.Network/natGateways', cluster)
  const network = inGroup('Microsoft.Network/virtualNetworks', cluster)
  add('Microsoft.Network/virtualNetworks', cluster)
  // Subnets have no tags.
  const subnetId = `${network}/subnets/${cluster}`
  azure.resources.set(subnetId.toLowerCase(), {
    id: subnetId,
    name: cluster,
    type: 'Microsoft.Network/virtualNetworks/subnets',
    location,
    properties: { addressPrefix: '10.77.0.0/16', natGateway: ref(gatewayId) },
    tags: {},
  })
  const [natAddress, headAddress] = ['nat', 'head'].map((name) =>
    add('Microsoft.Network/publicIPAddresses', `${cluster}-${name}`),
  )
  add('Microsoft.Network/natGateways', cluster, {
    publicIpAddresses: [ref(natAddress ?? '')],
  })
  const firewall = add('Microsoft.Network/networkSecurityGroups', `${cluster}-head`)
  add('Microsoft.Compute/availabilitySets', `${cluster}-set`)
  const machine = (name: string) => {
    const nic = add('Microsoft.Network/networkInterfaces', `${cluster}-${name}`, {
      networkSecurityGroup: ref(firewall),
      ipConfigurations: [
        {
          properties: {
            subnet: ref(subnetId),
            ...(name === 'head' && { publicIPAddress: ref(headAddress ?? '') }),
          },
        },
      ],
    })
    const disk = inGroup('Microsoft.Compute/disks', `${cluster}-${name}_OsDisk_1`)
    const id = add('Microsoft.Compute/virtualMachines', `${cluster}-${name}`, {
      hardwareProfile: { vmSize: 'Standard_D4s_v5' },
      storageProfile: { osDisk: { managedDisk: ref(disk), createOption: 'FromImage' } },
      networkProfile: { networkInterfaces: [ref(nic)] },
    })
    add(
      'Microsoft.Compute/disks',
      `${cluster}-${name}_OsDisk_1`,
      { osType: 'Linux', diskSizeGB: 30 },
      { managedBy: id, sku: { name: 'Premium_LRS' } },
    )
    return id
  }
  const machines = ['head', 'node1'].map(machine)
  const disk = add(
    'Microsoft.Compute/disks',
    `${cluster}-data`,
    { diskSizeGB: 100 },
    { managedBy: machines[0] ?? '', sku: { name: 'StandardSSD_LRS' } },
  )
  return { machines, disk, subnet: subnetId, gateway: gatewayId }
}
