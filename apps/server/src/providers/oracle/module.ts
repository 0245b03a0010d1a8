import {
  $,
  type Body,
  commonVariables,
  diskId,
  disksOutput,
  dynamic,
  headUserData,
  type Module,
  newDisks,
  nodeUserData,
  settings,
  typed,
} from '../module/module-parts'
import { networkData, networkLocals, networkResources, tagged } from './network'

const shapeConfig = (self: string) =>
  dynamic('shape_config', `${self}.flexible`, {
    ocpus: $(`${self}.ocpus`),
    memory_in_gbs: $(`${self}.mem`),
  })

/** If this is enabled, the agent on the machine logs in to iSCSI disks. */
const diskLogin = dynamic('agent_config', 'var.attachment_type == "iscsi"', {
  plugins_config: [{ name: 'Block Volume Management', desired_state: 'ENABLED' }],
})

/** The agent also joins a machine to the RDMA network and configures the addresses of its interfaces. */
const rdmaLogin = dynamic('agent_config', 'each.value.place != ""', {
  plugins_config: [
    { name: 'Compute HPC RDMA Authentication', desired_state: 'ENABLED' },
    { name: 'Compute HPC RDMA Auto-Configuration', desired_state: 'ENABLED' },
  ],
})

const machine = (self: string, userData: string): Body => ({
  ...tagged,
  availability_domain: $('local.availability_domain'),
  shape: $(`${self}.shape`),
  source_details: {
    source_type: 'image',
    source_id: $(
      `${self}.image != "" ? ${self}.image : element([for image in data.oci_core_images.os[${self}.shape].images : image.id], 0)`,
    ),
    boot_volume_size_in_gbs: $(`${self}.volume_size`),
    boot_volume_vpus_per_gb: $(`${self}.vpus`),
  },
  dynamic: shapeConfig(self),
  metadata: { ssh_authorized_keys: $('var.ssh_public_key'), user_data: $(userData) },
  preserve_boot_volume: false,
  // Changes of the image or the user data only apply to new machines, and OCI would reject a change of the user data.
  lifecycle: {
    ignore_changes: [
      'metadata',
      'source_details[0].source_id',
      'source_details[0].boot_volume_vpus_per_gb',
      // Renaming the cluster must not recreate its machines.
      'create_vnic_details[0].freeform_tags',
    ],
  },
})

const machineType =
  'shape = string, flexible = bool, ocpus = number, mem = number, image = string, volume_size = number, vpus = number'

/** A cluster on Oracle Cloud. */
export const oracleModule: Module = {
  terraform: settings('oci', 'oracle/oci', '>= 6.0, < 8.0'),
  provider: { oci: { region: $('var.region') } },
  variable: {
    ...commonVariables,
    ...typed({
      // Part of the credential, so it is passed in the environment.
      compartment_id: 'string',
      region: 'string',
      zone: 'string',
      dns_label: 'string',
      network: 'map(string)',
      inside: 'map(number)',
      given_subnet: 'map(string)',
      vcn_id: 'string',
      subnet_id: 'string',
      peering: 'map(object({id = string, range = string}))',
      firewall: 'map(string)',
      ssh: 'map(string)',
      vpn: 'map(string)',
      security_group_id: 'string',
      private: 'bool',
      images: 'map(object({operating_system = string, operating_system_version = string}))',
      attachment_type: 'string',
      head: `object({name = string, private_ip = string, ${machineType}})`,
      nodes: `map(object({tags = map(string), spot = bool, place = string, ${machineType}}))`,
      rdma_networks: 'map(string)',
      disks: 'map(object({id = string, size = number, vpus = number, device = string}))',
    }),
  },
  locals: { ...networkLocals, head_ip: $('oci_core_instance.head.private_ip') },
  data: {
    ...networkData,
    oci_core_images: {
      os: {
        for_each: $('var.images'),
        compartment_id: $('var.compartment_id'),
        operating_system: $('each.value.operating_system'),
        operating_system_version: $('each.value.operating_system_version'),
        shape: $('each.key'),
        state: 'AVAILABLE',
        sort_by: 'TIMECREATED',
        sort_order: 'DESC',
      },
    },
  },
  resource: {
    ...networkResources,
    // Machines join a compute cluster individually, unlike a cluster network, which is a pool of a fixed size.
    oci_core_compute_cluster: {
      rdma: {
        for_each: $('var.rdma_networks'),
        ...tagged,
        availability_domain: $('local.availability_domain'),
        display_name: $('each.value'),
      },
    },
    oci_core_instance: {
      head: {
        ...machine('var.head', `base64encode(${headUserData})`),
        dynamic: { ...shapeConfig('var.head'), ...diskLogin },
        display_name: $('var.head.name'),
        create_vnic_details: {
          subnet_id: $('local.head_subnet'),
          nsg_ids: $('local.head_firewall'),
          private_ip: $('var.head.private_ip'),
          // The address stays with the machine, even while it is stopped.
          assign_public_ip: $('var.private ? "false" : "true"'),
          freeform_tags: $('var.tags'),
        },
      },
      node: {
        for_each: $('var.nodes'),
        ...machine('each.value', `base64encode(${nodeUserData})`),
        dynamic: {
          ...shapeConfig('each.value'),
          ...dynamic('preemptible_instance_config', 'each.value.spot', {
            preemption_action: { type: 'TERMINATE', preserve_boot_volume: false },
          }),
          ...rdmaLogin,
        },
        compute_cluster_id: $(
          'each.value.place == "" ? null : oci_core_compute_cluster.rdma[each.value.place].id',
        ),
        display_name: $('each.key'),
        freeform_tags: $('merge(var.tags, each.value.tags)'),
        create_vnic_details: {
          subnet_id: $('local.node_subnet'),
          nsg_ids: $('local.node_firewall'),
          // In a subnet that was not created for the cluster, the subnet's setting applies.
          assign_public_ip: $('length(var.network) > 0 ? "false" : null'),
          freeform_tags: $('var.tags'),
        },
      },
    },
    oci_core_volume: {
      disk: {
        for_each: newDisks,
        ...tagged,
        availability_domain: $('local.availability_domain'),
        display_name: '${var.prefix}-${each.key}',
        size_in_gbs: $('each.value.size'),
        vpus_per_gb: $('each.value.vpus'),
      },
    },
    oci_core_volume_attachment: {
      disk: {
        for_each: $('var.disks'),
        attachment_type: $('var.attachment_type'),
        instance_id: $('oci_core_instance.head.id'),
        volume_id: diskId('oci_core_volume.disk'),
        device: $('each.value.device'),
        display_name: $('each.key'),
        is_agent_auto_iscsi_login_enabled: $('var.attachment_type == "iscsi" ? true : null'),
      },
    },
  },
  output: {
    head: {
      value: {
        id: $('oci_core_instance.head.id'),
        private_ip: $('local.head_ip'),
        networks: $('local.networks'),
        public_ip: $('var.private ? "" : oci_core_instance.head.public_ip'),
      },
    },
    nodes: {
      value: $(
        '{for name, node in oci_core_instance.node : name => {id = node.id, private_ip = node.private_ip}}',
      ),
    },
    disks: { value: disksOutput('oci_core_volume.disk', () => 'disk.device') },
  },
}
