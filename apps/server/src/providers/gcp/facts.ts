import { plain, secret } from '../authentication'
import { choicesOf } from '../fields/describe'
import { makeFacts } from '../facts'

const diskType = {
  help: 'Defaults to a balanced disk.',
  choices: choicesOf({
    'pd-balanced': 'Balanced SSD (pd-balanced)',
    'pd-ssd': 'Fast SSD (pd-ssd)',
    'pd-standard': 'Hard disk (pd-standard)',
    'hyperdisk-balanced': 'Hyperdisk balanced',
  }),
}
/** The accelerators that are attached to n1 sizes; a2, a3 and g2 sizes have their own. */
const accelerator = {
  choices: choicesOf({
    'nvidia-tesla-t4': 'NVIDIA T4',
    'nvidia-tesla-v100': 'NVIDIA V100',
    'nvidia-tesla-p100': 'NVIDIA P100',
    'nvidia-tesla-p4': 'NVIDIA P4',
  }),
}
const of = (path: string) => ({
  when: { path, is: accelerator.choices.map(({ value }) => value) },
})

export const gcpFacts = makeFacts({
  id: 'gcp',
  authentications: [
    plain('type', 'Type', { icon: 'tag', help: 'Always service_account.' }),
    plain('project_id', 'Project ID', { icon: 'folder' }),
    plain('private_key_id', 'Private key ID', { icon: 'key' }),
    secret('private_key', 'Private key', { multiline: true, help: 'Including its BEGIN and END lines.' }),
    plain('client_email', 'Client email', { icon: 'mail' }),
    plain('client_id', 'Client ID'),
    plain('auth_uri', 'Auth URI', { icon: 'link', address: true }),
    plain('token_uri', 'Token URI', { icon: 'link', address: true }),
    plain('auth_provider_x509_cert_url', 'Auth provider certificate URL', { icon: 'link' }),
    plain('client_x509_cert_url', 'Client certificate URL', { icon: 'link' }),
  ],
  cluster: {
    'data.network.region_id': {},
    'data.network.zone_id': { required: true, help: 'The data center within the region.' },
    'data.server.disk_type': diskType,
    'data.server.accelerator_type': accelerator,
    'data.server.accelerator_count': of('data.server.accelerator_type'),
    'data.server.image_name': {
      help: "Your own image, as projects/<project>/global/images/<name>. Defaults to the stack's image, or the public one.",
    },
    'data.node.disk_type': diskType,
    'data.node.accelerator_type': accelerator,
    'data.node.accelerator_count': of('data.node.accelerator_type'),
    'data.network.network_id': {
      label: 'VPC network',
      help: 'The name of an existing network. Leave empty to create one for the cluster.',
    },
    'data.network.subnet_id': {
      label: 'Subnetwork',
      help: 'The name of a subnetwork of that network. Leave empty to create one.',
    },
    'data.network.allowed_ranges': { when: { path: 'data.network.firewall_id', is: [''] } },
    'data.network.firewall_id': {},
    'data.network.fip_address': {
      help: 'A static external address you own. Leave empty to allocate a new one.',
    },
    'data.service_account': { help: 'The email of the account that the machines use in your project.' },
  },
  group: { spot: {} },
  stack: {
    'data.region_id': {},
    'data.zone_id': { required: true },
    'data.disk_size': {},
    'data.type': diskType,
    'data.source_image': { help: 'The name of an image to start from instead of the public one.' },
    'data.service_account': {},
    'data.subnet_network_id': {
      label: 'VPC network',
      help: 'The network for the build. Defaults to the default network.',
    },
    'data.subnet_id': { label: 'Subnetwork' },
  },
  refuses: { fsr: 'Fast snapshot restore is available only on AWS.' },
  noImage: {
    'centos-7':
      'Google Cloud no longer offers CentOS 7 images. Choose another operating system, a stack or your own image.',
  },
})
