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
import { networkData, networkLocals, networkResources, egressResources } from './network'
import { startupScript } from './startup'

const labeled: Body = { zone: $('var.zone'), labels: $('var.tags') }

/** The boot disk is a separate resource, so that it can grow without recreating the machine. */
const bootDisk = (self: string): Body => ({
  ...labeled,
  image: $(`${self}.image != "" ? ${self}.image : data.google_compute_image.os[${self}.arch].self_link`),
  size: $(`${self}.volume_size`),
  type: $(`${self}.disk_type`),
  lifecycle: { ignore_changes: ['image', 'type'] },
})

const machine = (self: string, disk: string, userData: string): Body => ({
  ...labeled,
  machine_type: $(`${self}.machine_type`),
  // To resize a machine, the provider stops it for a moment.
  allow_stopping_for_update: true,
  boot_disk: { source: $(`google_compute_disk.${disk}.self_link`), auto_delete: false },
  metadata: {
    'user-data': $(userData),
    'startup-script': startupScript,
    'ssh-keys': `${RESCUE_ACCOUNT}:${$('var.ssh_public_key')}`,
    'enable-oslogin': 'FALSE',
    'block-project-ssh-keys': 'TRUE',
  },
  scheduling: { on_host_maintenance: $(`${self}.host_maintenance`), automatic_restart: true },
  depends_on: egressResources,
  // Disks are attached by separate resources.
  lifecycle: { ignore_changes: ['metadata', 'attached_disk'] },
})

const blocks = (self: string) => ({
  ...dynamic('guest_accelerator', `${self}.accelerator_count > 0`, {
    type: $(`${self}.accelerator_type`),
    count: $(`${self}.accelerator_count`),
  }),
  ...dynamic('service_account', 'var.service_account != ""', {
    email: $('var.service_account'),
    scopes: ['cloud-platform'],
  }),
})

const machineType =
  'machine_type = string, arch = string, image = string, volume_size = number, disk_type = string, accelerator_type = string, accelerator_count = number, host_maintenance = string'

/** A cluster on Google Cloud. */
export const gcpModule: Module = {
  terraform: settings('google', 'hashicorp/google', '~> 6.50'),
  provider: { google: { region: $('var.region'), zone: $('var.zone') } },
  variable: {
    ...commonVariables,
    ...typed({
      region: 'string',
      zone: 'string',
      mark: 'string',
      network: 'map(string)',
      network_id: 'string',
      subnet_range: 'map(string)',
      given_subnet: 'map(object({name = string, self_link = string}))',
      firewall: 'map(string)',
      ssh: 'map(list(string))',
      vpn: 'map(list(string))',
      network_tags: 'list(string)',
      private: 'bool',
      address: 'map(string)',
      address_ip: 'string',
      images: 'map(object({project = string, family = string}))',
      service_account: 'string',
      placement: 'map(string)',
      head: `object({private_ip = string, ${machineType}})`,
      nodes: `map(object({spot = bool, place = string, tier1 = bool, ${machineType}}))`,
      disks: 'map(object({id = string, size = number, type = string}))',
    }),
  },
  locals: networkLocals,
  data: {
    ...networkData,
    google_compute_image: {
      os: { for_each: $('var.images'), project: $('each.value.project'), family: $('each.value.family') },
    },
  },
  resource: {
    ...networkResources,
    google_compute_resource_policy: {
      compact: {
        for_each: $('var.placement'),
        name: $('each.value'),
        region: $('var.region'),
        // Resource policies have no labels.
        description: $('var.mark'),
        group_placement_policy: { collocation: 'COLLOCATED' },
      },
    },
    google_compute_disk: {
      head: { ...bootDisk('var.head'), name: prefixed('head') },
      node: { for_each: $('var.nodes'), ...bootDisk('each.value'), name: '${var.prefix}-${each.key}' },
      disk: {
        for_each: newDisks,
        ...labeled,
        name: '${var.prefix}-disk-${each.key}',
        size: $('each.value.size'),
        type: $('each.value.type'),
        // Another type would create another disk, without the data.
        lifecycle: { ignore_changes: ['type'] },
      },
    },
    google_compute_instance: {
      head: {
        ...machine('var.head', 'head', headUserData),
        name: prefixed('head'),
        tags: $('concat([var.prefix, format("%s-head", var.prefix)], var.network_tags)'),
        network_interface: [
          {
            subnetwork: $('local.subnet'),
            network_ip: $('local.head_ip'),
            dynamic: dynamic('access_config', '!var.private', { nat_ip: $('local.address') }),
          },
        ],
        dynamic: blocks('var.head'),
      },
      node: {
        for_each: $('var.nodes'),
        ...machine('each.value', 'node[each.key]', nodeUserData),
        scheduling: {
          on_host_maintenance: $('each.value.spot ? "TERMINATE" : each.value.host_maintenance'),
          automatic_restart: $('!each.value.spot'),
          preemptible: $('each.value.spot'),
          provisioning_model: $('each.value.spot ? "SPOT" : "STANDARD"'),
          instance_termination_action: $('each.value.spot ? "DELETE" : null'),
        },
        name: '${var.prefix}-${each.key}',
        tags: $('concat([var.prefix], var.network_tags)'),
        resource_policies: $(
          'each.value.place == "" ? null : [google_compute_resource_policy.compact[each.value.place].self_link]',
        ),
        // Tier_1 networking requires gVNIC; otherwise Google chooses.
        network_interface: [
          { subnetwork: $('local.subnet'), nic_type: $('each.value.tier1 ? "GVNIC" : null') },
        ],
        dynamic: {
          ...blocks('each.value'),
          ...dynamic('network_performance_config', 'each.value.tier1', {
            total_egress_bandwidth_tier: 'TIER_1',
          }),
        },
      },
    },
    google_compute_attached_disk: {
      disk: {
        for_each: $('var.disks'),
        disk: diskId('google_compute_disk.disk'),
        instance: $('google_compute_instance.head.id'),
        device_name: $('each.key'),
      },
    },
  },
  output: {
    head: {
      value: {
        id: $('google_compute_instance.head.id'),
        private_ip: $('local.head_ip'),
        networks: $('local.networks'),
        public_ip: $('var.private ? "" : local.address'),
      },
    },
    nodes: {
      value: $(
        '{for name, node in google_compute_instance.node : name => {id = node.id, private_ip = one([for nic in node.network_interface : nic.network_ip])}}',
      ),
    },
    disks: {
      value: disksOutput('google_compute_disk.disk', () => 'format("/dev/disk/by-id/google-%s", name)'),
    },
  },
}
