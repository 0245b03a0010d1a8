import { gpuSoftwareNames, managerNames } from '@flotilla/contract/clusters/inputs'
import { choicesOf, type Definition } from './describe'

const onlyAzure = 'Available only on Azure.'
const fixedSizes =
  'Only Oracle Cloud’s flexible shapes let you choose cores and memory. Choose a size instead.'
const flexible = { path: 'flexible', is: ['true'] }
const otherDisk = 'This provider uses the other disk size field.'

/**
 * Every field of a stack except those that the form renders on its own: name, description, credential, builder,
 * collaborators, the provisioner scripts and the data files.
 */
const definitions = {
  'data.region_id': {
    label: 'Region',
    help: 'Where the image is built and stored.',
    step: 'basics',
    kind: 'region',
    required: true,
    elsewhere: 'This provider has no regions.',
  },
  'data.zone_id': {
    label: 'Zone',
    help: 'Where the build machine runs.',
    step: 'basics',
    kind: 'zone',
    elsewhere: 'This provider does not need a zone to build an image.',
  },
  'data.source_os_type': {
    label: 'Operating system',
    help: 'The public image that the build starts from, unless you choose another.',
    step: 'basics',
    kind: 'osType',
    required: true,
  },
  'data.instance_id': {
    label: 'Size',
    help: 'The size of the build machine.',
    step: 'basics',
    kind: 'size',
    required: true,
  },
  'data.ocpus': {
    label: 'OCPUs',
    help: 'One OCPU is a physical core with two threads. 0 means one.',
    step: 'basics',
    kind: 'number',
    unit: 'OCPUs',
    min: 0,
    when: flexible,
    elsewhere: fixedSizes,
  },
  'data.mem': {
    label: 'Memory',
    help: '0 means 16 GB per OCPU.',
    step: 'basics',
    kind: 'number',
    unit: 'GB',
    min: 0,
    when: flexible,
    elsewhere: fixedSizes,
  },
  'data.disk_size': {
    label: 'Disk',
    help: 'The size of the image’s disk. 0 uses the source image’s size.',
    step: 'basics',
    kind: 'number',
    unit: 'GB',
    min: 0,
    max: 65_536,
    elsewhere: otherDisk,
  },
  'data.volume_size': {
    label: 'Disk',
    help: 'The size of the image’s disk. 0 uses the source image’s size.',
    step: 'basics',
    kind: 'number',
    unit: 'GB',
    min: 0,
    max: 65_536,
    elsewhere: otherDisk,
  },
  'data.type': {
    label: 'Disk type',
    help: 'The disk of the build machine.',
    step: 'basics',
    kind: 'choice',
    advanced: true,
    elsewhere: 'This provider chooses the disk itself.',
  },

  'data.manager': {
    label: 'Resource manager',
    help: 'Installed in the image, so that clusters start faster.',
    step: 'software',
    kind: 'choice',
    choices: choicesOf(managerNames),
    required: true,
  },
  'data.prefix': {
    label: 'Prefix',
    help: 'The prefix of the image name.',
    step: 'software',
    kind: 'text',
    required: true,
  },
  'data.minimal': {
    label: 'Minimal',
    help: 'Install only the resource manager and its dependencies, without compilers, libraries and tools.',
    step: 'software',
    kind: 'switch',
  },
  'data.image_gpu_software': {
    label: 'GPU software',
    help: 'For NVIDIA GPUs of the Turing generation and newer. Clusters install the driver for older ones themselves.',
    step: 'software',
    kind: 'choice',
    choices: choicesOf(gpuSoftwareNames),
    required: true,
  },
  'data.has_vnc': {
    label: 'Remote desktop',
    help: 'Installs a desktop and a VNC server.',
    step: 'software',
    kind: 'switch',
  },
  'data.customize_image': {
    label: 'Customize manually',
    help: 'After the scripts, the machine stays up for manual changes until you finish the build.',
    step: 'software',
    kind: 'switch',
  },
  'data.proxy': {
    label: 'Proxy',
    help: 'Packages are downloaded through it, for example http://proxy.example.org:3128.',
    step: 'software',
    kind: 'text',
    placeholder: 'http://proxy.example.org:3128',
    advanced: true,
  },
  'rhel.activation_key': {
    label: 'Red Hat activation key',
    help: 'Registers the machine when the source image is Red Hat Enterprise Linux.',
    step: 'software',
    kind: 'password',
    advanced: true,
  },
  'rhel.organization_id': {
    label: 'Red Hat organization',
    help: 'The organization that the activation key belongs to.',
    step: 'software',
    kind: 'text',
    advanced: true,
  },

  'data.source_image': {
    label: 'Source image',
    help: 'An image to start from instead of the public one.',
    step: 'advanced',
    kind: 'image',
  },
  'data.source_image_publisher': {
    label: 'Source image publisher',
    help: 'Together with the offer and SKU, identifies a marketplace image.',
    step: 'advanced',
    kind: 'text',
    elsewhere: onlyAzure,
  },
  'data.source_image_offer': {
    label: 'Source image offer',
    step: 'advanced',
    kind: 'text',
    elsewhere: onlyAzure,
  },
  'data.source_image_sku': {
    label: 'Source image SKU',
    step: 'advanced',
    kind: 'text',
    elsewhere: onlyAzure,
  },
  'data.source_resource_group_name': {
    label: 'Resource group of the source image',
    help: 'The resource group of your own source image.',
    step: 'advanced',
    kind: 'text',
    elsewhere: onlyAzure,
  },
  'data.ssh_username': {
    label: 'Login account',
    help: 'The account that the build logs in with. Defaults to the source image’s default account.',
    step: 'advanced',
    kind: 'text',
  },
  'data.service_account': {
    label: 'Service account',
    help: 'The account that the machine uses in your project.',
    step: 'advanced',
    kind: 'text',
    elsewhere: 'Service accounts of machines exist only on Google Cloud.',
  },

  'data.resource_group_name': {
    label: 'Resource group',
    help: 'Where the image is stored. It must already exist.',
    step: 'network',
    kind: 'text',
    required: true,
    elsewhere: 'Resource groups exist only on Azure.',
  },
  'data.vpc_id': {
    label: 'VPC',
    help: 'The network for the build. Defaults to the default network.',
    step: 'network',
    kind: 'text',
    elsewhere: 'VPC IDs are for AWS only. Enter the network in this provider’s own field.',
  },
  'data.subnet_network_id': {
    label: 'Network',
    help: 'The network that contains the subnet.',
    step: 'network',
    kind: 'text',
    elsewhere: 'This provider derives the network from the subnet.',
  },
  'data.subnet_id': {
    label: 'Subnet',
    help: 'The subnet of the build machine. Leave empty to use or create one.',
    step: 'network',
    kind: 'text',
  },
  'data.security_group_id': {
    label: 'Security group',
    help: 'An existing one that allows SSH. Leave empty to create one for the build.',
    step: 'network',
    kind: 'text',
    elsewhere: 'This provider does not need a security group to build an image.',
  },
  'data.isPrivate': {
    label: 'Private address only',
    help: 'The console reaches the build machine through your own network.',
    step: 'network',
    kind: 'switch',
  },
} satisfies Record<string, Definition>
export type StackPath = keyof typeof definitions
export const stackFields: Record<StackPath, Definition> = definitions
