import {
  $,
  type Body,
  userDataVariables,
  dynamic,
  headUserData,
  type Module,
  nodeUserData,
  settings,
  typed,
} from '../module/module-parts'

const machine = (self: string, userData: string): Body => ({
  allocate_params: {
    pool: $(`${self}.pool`),
    tags: $(`${self}.tags`),
    zone: $('var.zone'),
    min_cpu_count: $(`${self}.cores`),
    min_memory: $(`${self}.memory`),
  },
  deploy_params: { distro_series: $(`${self}.image`), user_data: $(userData) },
  // Changes of the image or the user data only apply to new machines.
  lifecycle: { ignore_changes: ['deploy_params'] },
})

const machineType = 'pool = string, tags = list(string), cores = number, memory = number, image = string'

/** Only MAAS knows which machine was allocated. The memory is in MiB, contrary to the provider's documentation. */
const hardware = (self: string) => ({ cores: $(`${self}.cpu_count`), memory: $(`${self}.memory / 1024`) })

/** A cluster of a MAAS site's machines. There are no networks to create and no disks to add. */
export const maasModule: Module = {
  terraform: settings('maas', 'canonical/maas', '~> 2.0'),
  provider: { maas: {} },
  variable: {
    ...userDataVariables,
    ...typed({
      tags: 'map(string)',
      zone: 'string',
      tag: 'string',
      network_interface: 'string',
      subnet_range: 'string',
      public_ip: 'string',
      head: `object({private_ip = string, ${machineType}})`,
      nodes: `map(object({${machineType}}))`,
    }),
  },
  locals: {
    networks: $('[for range in [var.subnet_range] : range if range != null]'),
    head_ip: $(
      'var.head.private_ip == null ? element([for address in maas_instance.head.ip_addresses : address], 0) : var.head.private_ip',
    ),
  },
  resource: {
    maas_instance: {
      head: {
        ...machine('var.head', headUserData),
        dynamic: dynamic('network_interfaces', 'var.network_interface != ""', {
          name: $('var.network_interface'),
          subnet_cidr: $('var.subnet_range'),
          ip_address: $('var.head.private_ip'),
        }),
      },
      node: {
        for_each: $('var.nodes'),
        ...machine('each.value', nodeUserData),
        dynamic: dynamic('network_interfaces', 'var.network_interface != ""', {
          name: $('var.network_interface'),
          subnet_cidr: $('var.subnet_range'),
        }),
      },
    },
    // MAAS resources can only be marked with tags, which have no values.
    maas_tag: {
      cluster: {
        name: $('var.tag'),
        comment: $('join(", ", [for name, value in var.tags : format("%s=%s", name, value)])'),
        machines: $('concat([maas_instance.head.id], [for node in maas_instance.node : node.id])'),
      },
    },
  },
  output: {
    head: {
      value: {
        id: $('maas_instance.head.id'),
        private_ip: $('local.head_ip'),
        networks: $('local.networks'),
        public_ip: $('var.public_ip'),
        ...hardware('maas_instance.head'),
      },
    },
    nodes: {
      value: $(
        '{for name, node in maas_instance.node : name => {id = node.id, private_ip = element([for address in node.ip_addresses : address], 0), cores = node.cpu_count, memory = node.memory / 1024}}',
      ),
    },
    disks: { value: {} },
  },
}
