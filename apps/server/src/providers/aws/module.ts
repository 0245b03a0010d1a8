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
  repeated,
  settings,
  typed,
} from '../module/module-parts'
import { named, networkData, networkLocals, networkResources, egressResources } from './network'

/** Changes of the image or the user data only apply to new machines. */
const forLater = ['ami', 'user_data', 'user_data_base64', 'key_name']

const machine = (self: string): Body => ({
  ami: $(`${self}.image != "" ? ${self}.image : data.aws_ami.os[${self}.arch].id`),
  instance_type: $(`${self}.instance_type`),
  key_name: $('aws_key_pair.cluster.key_name'),
  iam_instance_profile: $('var.instance_profile'),
  root_block_device: {
    volume_size: $(`${self}.volume_size`),
    volume_type: $(`${self}.volume_type`),
    iops: $(`${self}.iops`),
    encrypted: true,
    tags: $('var.tags'),
  },
  // IMDSv2 with a hop limit of 1: requests that a machine forwards cannot get a token.
  metadata_options: { http_tokens: 'required', http_put_response_hop_limit: 1 },
  depends_on: egressResources,
  lifecycle: { ignore_changes: forLater },
})

/** A cluster on AWS. */
export const awsModule: Module = {
  terraform: settings('aws', 'hashicorp/aws', '~> 6.25'),
  // By default, the provider retries 25 times when AWS has no capacity, for about an hour and without any output.
  provider: { aws: { region: $('var.region'), max_retries: 6 } },
  variable: {
    ...commonVariables,
    ...typed({
      region: 'string',
      zone: 'string',
      network: 'map(string)',
      inside: 'map(number)',
      given_subnet: 'map(string)',
      vpc_id: 'string',
      subnet_id: 'string',
      firewall: 'map(string)',
      ssh: 'map(string)',
      vpn: 'map(string)',
      security_group_id: 'string',
      private: 'bool',
      address: 'map(object({id = string}))',
      images: 'map(object({owners = list(string), names = list(string)}))',
      instance_profile: 'string',
      placement: 'map(string)',
      adapters: 'map(list(object({card = number, device = number, type = string})))',
      head: 'object({name = string, instance_type = string, arch = string, image = string, volume_size = number, volume_type = string, iops = number, private_ip = string})',
      nodes:
        'map(object({instance_type = string, arch = string, image = string, volume_size = number, volume_type = string, iops = number, efa = bool, place = string, adapters = string, spot = bool}))',
      disks: 'map(object({id = string, size = number, type = string, iops = number, device = string}))',
    }),
  },
  locals: { ...networkLocals, head_ip: $('aws_network_interface.head.private_ip') },
  data: {
    ...networkData,
    aws_ami: {
      os: {
        for_each: $('var.images'),
        most_recent: true,
        // AWS marks public images as deprecated after two years, and some publishers update them late.
        include_deprecated: true,
        owners: $('each.value.owners'),
        filter: [
          { name: 'name', values: $('each.value.names') },
          { name: 'architecture', values: [$('each.key')] },
          { name: 'virtualization-type', values: ['hvm'] },
        ],
      },
    },
    aws_eip: {
      given: {
        for_each: $('{for name, address in var.address : name => address if address.id != ""}'),
        id: $('each.value.id'),
      },
    },
  },
  resource: {
    ...networkResources,
    aws_key_pair: {
      cluster: { key_name: $('var.prefix'), public_key: $('var.ssh_public_key'), tags: $('var.tags') },
    },
    aws_placement_group: {
      efa: {
        for_each: $('var.placement'),
        name: $('each.value'),
        strategy: 'cluster',
        tags: $('var.tags'),
      },
    },
    // The EFA adapters of several network cards are created with the machine, because AWS cannot attach them to a
    // running one.
    aws_launch_template: {
      efa: {
        for_each: $('var.adapters'),
        name: '${var.prefix}-${each.key}',
        tags: $('var.tags'),
        dynamic: repeated('network_interfaces', 'each.value', {
          network_card_index: $('network_interfaces.value.card'),
          device_index: $('network_interfaces.value.device'),
          interface_type: $('network_interfaces.value.type'),
          subnet_id: $('local.node_subnet'),
          security_groups: $('local.node_firewall'),
          delete_on_termination: 'true',
        }),
        tag_specifications: [{ resource_type: 'network-interface', tags: $('var.tags') }],
        update_default_version: true,
      },
    },
    aws_network_interface: {
      // A resource of its own, which is kept when the head node is recreated, because nodes know the head node by its
      // address.
      head: {
        subnet_id: $('local.head_subnet'),
        security_groups: $('local.head_firewall'),
        private_ips: $('var.head.private_ip == null ? null : [var.head.private_ip]'),
        tags: named('var.head.name'),
      },
      efa: {
        for_each: $('{for name, node in var.nodes : name => node if node.efa && node.adapters == ""}'),
        subnet_id: $('local.node_subnet'),
        security_groups: $('local.node_firewall'),
        interface_type: 'efa',
        tags: named('each.key'),
      },
    },
    aws_instance: {
      head: {
        ...machine('var.head'),
        primary_network_interface: { network_interface_id: $('aws_network_interface.head.id') },
        user_data_base64: $(`base64gzip(${headUserData})`),
        tags: named('var.head.name'),
        depends_on: [...egressResources, 'aws_eip_association.head'],
      },
      node: {
        for_each: $('var.nodes'),
        ...machine('each.value'),
        subnet_id: $('each.value.efa ? null : local.node_subnet'),
        vpc_security_group_ids: $('each.value.efa ? null : local.node_firewall'),
        placement_group: $('each.value.efa ? aws_placement_group.efa[each.value.place].name : null'),
        dynamic: {
          ...dynamic('primary_network_interface', 'each.value.efa && each.value.adapters == ""', {
            network_interface_id: $('aws_network_interface.efa[each.key].id'),
          }),
          ...dynamic('launch_template', 'each.value.adapters != ""', {
            id: $('aws_launch_template.efa[each.value.adapters].id'),
          }),
          ...dynamic('instance_market_options', 'each.value.spot', {
            market_type: 'spot',
            spot_options: { spot_instance_type: 'one-time', instance_interruption_behavior: 'terminate' },
          }),
        },
        user_data_base64: $(`base64gzip(${nodeUserData})`),
        tags: named('each.key'),
        // The launch template only matters when a machine is created. A machine cannot become a spot machine or cease
        // to be one either: if its spot request is no longer listed, the machine must not be replaced.
        lifecycle: { ignore_changes: [...forLater, 'launch_template', 'instance_market_options'] },
      },
    },
    aws_eip_association: {
      head: {
        for_each: $('var.address'),
        allocation_id: $('each.value.id == "" ? aws_eip.head[each.key].id : data.aws_eip.given[each.key].id'),
        network_interface_id: $('aws_network_interface.head.id'),
      },
    },
    aws_ebs_volume: {
      disk: {
        for_each: newDisks,
        availability_zone: $('local.disk_zone'),
        size: $('each.value.size'),
        type: $('each.value.type'),
        iops: $('each.value.iops'),
        encrypted: true,
        tags: named('format("%s-%s", var.prefix, each.key)'),
      },
    },
    aws_volume_attachment: {
      disk: {
        for_each: $('var.disks'),
        device_name: $('each.value.device'),
        instance_id: $('aws_instance.head.id'),
        volume_id: diskId('aws_ebs_volume.disk'),
      },
    },
  },
  output: {
    head: {
      value: {
        id: $('aws_instance.head.id'),
        private_ip: $('local.head_ip'),
        networks: $('local.networks'),
        public_ip: $(
          'join("", concat([for address in aws_eip.head : address.public_ip], [for address in data.aws_eip.given : address.public_ip]))',
        ),
      },
    },
    nodes: {
      value: $(
        '{for name, node in aws_instance.node : name => {id = node.id, private_ip = node.private_ip}}',
      ),
    },
    disks: { value: disksOutput('aws_ebs_volume.disk', (id) => `format("serial:%s", ${id}), disk.device`) },
  },
}
