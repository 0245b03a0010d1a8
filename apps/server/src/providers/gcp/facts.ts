import { plain, secret } from '../authentication'
import type { Accelerator, DiskType, SizeOption } from '@flotilla/contract/clouds/providers'
import { choicesOfDisks } from '../fields/describe'
import { email, gcpDisk, gcpImage, gcpPath, gcpTag, publicIpv4 } from '../fields/formats'
import { makeFacts } from '../facts'
import { ONLY_HYPERDISK } from './images'

const MAX_GB = 65_536
/** cloud.google.com/compute/docs/disks and .../disks/hyperdisks, 2026-11-17. */
const diskTypes: DiskType[] = [
  {
    id: 'pd-balanced',
    label: 'Balanced SSD (pd-balanced)',
    min: 10,
    max: MAX_GB,
    sizes: `^(?!(?:${ONLY_HYPERDISK})-)`,
  },
  {
    id: 'pd-ssd',
    label: 'Fast SSD (pd-ssd)',
    min: 10,
    max: MAX_GB,
    sizes: `^(?!(?:${ONLY_HYPERDISK}|h3)-)`,
  },
  {
    id: 'pd-standard',
    label: 'Hard disk (pd-standard)',
    min: 10,
    max: MAX_GB,
    sizes: `^(?!(?:${ONLY_HYPERDISK}|h3|c3d?|a3|g2)-)`,
  },
  {
    id: 'hyperdisk-balanced',
    label: 'Hyperdisk balanced',
    min: 4,
    max: MAX_GB,
    sizes: `^(?:${ONLY_HYPERDISK}|c3d?|h3|m[1-3]|z3|a3)-`,
  },
]
const diskType = { help: 'Defaults to a balanced disk.', choices: choicesOfDisks(diskTypes) }

/** Only n1 sizes support attached accelerators; a2, a3 and g2 sizes have built-in ones. */
const onN1 = (id: string, label: string, counts: [count: number, maxCores: number][]): Accelerator => ({
  id,
  label,
  sizes: '^n1-',
  where: 'Choose an n1 size, or one with built-in GPUs.',
  counts: counts.map(([count, maxCores]) => ({ count, maxCores })),
})
/** cloud.google.com/compute/docs/gpus, 2026-11-17: how many a machine can have, and the maximum cores then. */
const accelerators: Accelerator[] = [
  onN1('nvidia-tesla-t4', 'NVIDIA T4', [
    [1, 48],
    [2, 48],
    [4, 96],
  ]),
  onN1('nvidia-tesla-v100', 'NVIDIA V100', [
    [1, 12],
    [2, 24],
    [4, 48],
    [8, 96],
  ]),
  onN1('nvidia-tesla-p100', 'NVIDIA P100', [
    [1, 16],
    [2, 32],
    [4, 96],
  ]),
  onN1('nvidia-tesla-p4', 'NVIDIA P4', [
    [1, 24],
    [2, 48],
    [4, 96],
  ]),
]
/**
 * cloud.google.com/compute/docs/networking/configure-vm-with-high-bandwidth-configuration lists N2, N2D, C2, C2D and C3
 * with at least 30 vCPUs (read 2026-11-17). No source was found for the other families.
 */
const tier1: SizeOption = {
  path: 'tier1',
  sizes: [
    { pattern: '^(?:n2d?|c2d?|c3d?|m3|z3)-', minCores: 30 },
    { pattern: '^c4[ad]?-', minCores: 48 },
  ],
  otherwise: 'has no Tier_1 networking. Choose an n2, c2, c3 or c4 size with more vCPUs.',
}
/** Machine families by generation, from docs.cloud.google.com/compute/docs/instances/placement-policies-overview. */
const compact: SizeOption = {
  path: 'compact',
  sizes: [{ pattern: '^(?:n2d?|c2d?|c3d?|c4[ad]?|h3|h4d|a2|a3|a4x?|g2|m3|z3)-', minCores: 0 }],
  otherwise: 'does not support compact placement. Choose an n2, c2, c3, c4, h3 or GPU size.',
}

const accelerator = { choices: accelerators.map(({ id, label }) => ({ value: id, label })) }
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
      fromAccount: true,
      format: gcpImage,
      help: 'Your own image, as projects/<project>/global/images/<name>. Defaults to the stack’s image, or the public one.',
    },
    'data.node.disk_type': diskType,
    'data.node.accelerator_type': accelerator,
    'data.node.accelerator_count': of('data.node.accelerator_type'),
    'data.network.network_id': {
      label: 'VPC network',
      help: 'The name of an existing network. Leave empty to create one for the cluster.',
      fromAccount: true,
      format: gcpPath('networks'),
    },
    'data.network.subnet_id': {
      label: 'Subnetwork',
      help: 'The name of a subnetwork of that network. Leave empty to create one.',
      fromAccount: true,
      within: 'data.network.network_id',
      format: gcpPath('subnetworks'),
    },
    'data.network.allowed_ranges': { when: { path: 'data.network.firewall_id', is: [''] } },
    'data.network.firewall_id': { fromAccount: true, format: gcpTag },
    'data.network.fip_address': {
      help: 'A static external address you own. Leave empty to allocate a new one.',
      fromAccount: true,
      format: publicIpv4,
    },
    'data.service_account': {
      help: 'The email of the account that the machines use in your project.',
      fromAccount: true,
      format: email,
    },
  },
  group: { compact: {}, tier1: {}, spot: {} },
  stack: {
    'data.region_id': {},
    'data.zone_id': { required: true },
    'data.disk_size': {},
    'data.type': diskType,
    'data.source_image': {
      fromAccount: true,
      help: 'The name of an image to start from instead of the public one.',
    },
    'data.service_account': { fromAccount: true, format: email },
    'data.subnet_network_id': {
      label: 'VPC network',
      fromAccount: true,
      help: 'The network for the build. Defaults to the default network.',
    },
    'data.subnet_id': { label: 'Subnetwork', fromAccount: true, within: 'data.subnet_network_id' },
  },
  refuses: { fsr: 'Fast snapshot restore is available only on AWS.' },
  noImage: {
    'centos-7':
      'Google Cloud no longer offers CentOS 7 images. Choose another operating system, a stack or your own image.',
  },
  // The disk size of these public images.
  images: { 'rocky-8': { disk: 20 }, 'rocky-9': { disk: 20 } },
  diskTypes,
  rootDiskMin: 10,
  diskId: gcpDisk,
  fileSystems: [{ name: 'Filestore', type: 'nfs', example: '10.0.0.2:/share' }],
  accelerators,
  sizeOptions: [compact, tier1],
  headSubnet: { bits: 0, first: 2, last: 2 },
})
