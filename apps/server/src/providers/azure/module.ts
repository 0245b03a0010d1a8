import {
  $,
  RESCUE_ACCOUNT,
  type Body,
  commonVariables,
  diskId,
  disksOutput,
  dynamic,
  headUserData,
  type Module,
  newDisks,
  nodeUserData,
  prefixed,
  settings,
  typed,
} from '../module/module-parts'
import { networkData, networkLocals, networkResources, tagged, egressResources } from './network'

const machine = (self: string, nic: string): Body => ({
  ...tagged,
  size: $(`${self}.size`),
  zone: $(`${self}.zone`),
  admin_username: RESCUE_ACCOUNT,
  admin_ssh_key: [{ username: RESCUE_ACCOUNT, public_key: $('var.ssh_public_key') }],
  disable_password_authentication: true,
  network_interface_ids: [$(`azurerm_network_interface.${nic}.id`)],
  os_disk: {
    caching: 'ReadWrite',
    storage_account_type: $(`${self}.disk_type`),
    disk_size_gb: $(`${self}.volume_size`),
  },
  source_image_id: $(
    `${self}.image_name != "" ? data.azurerm_image.own[${self}.image_name].id : (${self}.image_id != "" ? ${self}.image_id : null)`,
  ),
  dynamic: {
    ...dynamic('source_image_reference', `${self}.reference.publisher != ""`, {
      publisher: $(`${self}.reference.publisher`),
      offer: $(`${self}.reference.offer`),
      sku: $(`${self}.reference.sku`),
      version: $(`${self}.reference.version`),
    }),
    ...dynamic('plan', `${self}.reference.plan != null`, {
      name: $(`${self}.reference.plan.name`),
      product: $(`${self}.reference.plan.product`),
      publisher: $(`${self}.reference.plan.publisher`),
    }),
  },
  depends_on: egressResources,
  lifecycle: {
    // Changes of these would make Azure recreate the machine; they only apply to new machines.
    ignore_changes: [
      'custom_data',
      'source_image_id',
      'source_image_reference',
      'plan',
      'admin_ssh_key',
      'os_disk[0].storage_account_type',
    ],
  },
})

const machineType =
  'size = string, zone = string, accelerated = bool, disk_type = string, volume_size = number, image_name = string, image_id = string, reference = object({publisher = string, offer = string, sku = string, version = string, plan = object({name = string, product = string, publisher = string})})'

/** A cluster on Azure. */
export const azureModule: Module = {
  terraform: settings('azurerm', 'hashicorp/azurerm', '~> 4.73'),
  // Registering services is left to the subscription's owner.
  provider: { azurerm: { features: {}, resource_provider_registrations: 'none' } },
  variable: {
    ...commonVariables,
    ...typed({
      region: 'string',
      zone: 'string',
      resource_group: 'map(string)',
      resource_group_name: 'string',
      network: 'map(string)',
      inside: 'map(number)',
      virtual_network_name: 'string',
      virtual_network_group: 'string',
      subnet_id: 'string',
      given_subnet: 'map(object({name = string, network = string, group = string}))',
      gateway: 'map(string)',
      addresses: 'map(string)',
      address_id: 'string',
      private: 'bool',
      firewall: 'map(string)',
      security_group_id: 'string',
      ssh: 'map(list(string))',
      vpn: 'map(list(string))',
      own_images: 'map(string)',
      availability_sets: 'map(string)',
      head: `object({name = string, private_ip = string, ${machineType}})`,
      nodes: `map(object({availability_set = string, spot = bool, ${machineType}}))`,
      disks: 'map(object({id = string, size = number, type = string, lun = number}))',
    }),
  },
  locals: { ...networkLocals, head_ip: $('azurerm_network_interface.head.private_ip_address') },
  data: {
    ...networkData,
    azurerm_image: {
      own: {
        for_each: $('var.own_images'),
        name: $('each.key'),
        resource_group_name: $('each.value'),
      },
    },
  },
  resource: {
    ...networkResources,
    azurerm_availability_set: {
      infiniband: {
        for_each: $('var.availability_sets'),
        ...tagged,
        name: '${var.prefix}-${each.key}',
        // Some regions have only two fault domains.
        platform_fault_domain_count: 2,
      },
    },
    azurerm_linux_virtual_machine: {
      head: {
        ...machine('var.head', 'head'),
        name: prefixed('head'),
        computer_name: $('var.head.name'),
        custom_data: $(`base64encode(${headUserData})`),
      },
      node: {
        for_each: $('var.nodes'),
        ...machine('each.value', 'node[each.key]'),
        name: '${var.prefix}-${each.key}',
        computer_name: $('each.key'),
        custom_data: $(`base64encode(${nodeUserData})`),
        priority: $('each.value.spot ? "Spot" : "Regular"'),
        eviction_policy: $('each.value.spot ? "Delete" : null'),
        availability_set_id: $(
          'each.value.availability_set == "" ? null : azurerm_availability_set.infiniband[each.value.availability_set].id',
        ),
      },
    },
    azurerm_managed_disk: {
      disk: {
        for_each: newDisks,
        ...tagged,
        name: '${var.prefix}-${each.key}',
        zone: $('var.zone'),
        create_option: 'Empty',
        storage_account_type: $('each.value.type'),
        disk_size_gb: $('each.value.size'),
      },
    },
    azurerm_virtual_machine_data_disk_attachment: {
      disk: {
        for_each: $('var.disks'),
        managed_disk_id: diskId('azurerm_managed_disk.disk'),
        virtual_machine_id: $('azurerm_linux_virtual_machine.head.id'),
        lun: $('each.value.lun'),
        caching: 'None',
      },
    },
  },
  output: {
    head: {
      value: {
        id: $('azurerm_linux_virtual_machine.head.id'),
        private_ip: $('local.head_ip'),
        networks: $('local.networks'),
        public_ip: $('var.private ? "" : azurerm_linux_virtual_machine.head.public_ip_address'),
      },
    },
    nodes: {
      value: $(
        '{for name, node in azurerm_linux_virtual_machine.node : name => {id = node.id, private_ip = node.private_ip_address}}',
      ),
    },
    disks: {
      value: disksOutput(
        'azurerm_managed_disk.disk',
        () =>
          'format("/dev/disk/azure/scsi1/lun%d", disk.lun), format("/dev/disk/azure/data/by-lun/%d", disk.lun)',
      ),
    },
  },
}
