import { managerNames } from '@flotilla/contract/clusters/inputs'
import { choicesOf, type Definition } from './describe'

const onlyAzure = 'This exists only on Azure.'
const fixedSizes =
  'Only the flexible shapes of Oracle Cloud take a number of cores and memory: choose a size.'
const flexible = { path: 'flexible', is: ['true'] }
const otherDisk = 'This provider takes the size of the disk in the other field.'

/**
 * Every field of a stack but those that the form draws by itself: name, description, credential, builder, collaborators
 * and the provisioner scripts and data files.
 */
const definitions = {
  'data.region_id': {
    label: 'Region',
    help: 'Where the image is built and kept.',
    step: 'basics',
    kind: 'region',
    required: true,
    elsewhere: 'This provider has no regions.',
  },
  'data.zone_id': {
    label: 'Zone',
    help: 'Where the machine runs on which the image is built.',
    step: 'basics',
    kind: 'zone',
    elsewhere: 'This provider needs no zone to build an image.',
  },
  'data.source_os_type': {
    label: 'Operating system',
    help: 'The public image that the build starts from, unless you name another.',
    step: 'basics',
    kind: 'osType',
    required: true,
  },
  'data.instance_id': {
    label: 'Size',
    help: 'The machine on which the image is built.',
    step: 'basics',
    kind: 'size',
    required: true,
  },
  'data.ocpus': {
    label: 'OCPUs',
    help: 'One OCPU is a physical core with two threads; 0 takes one.',
    step: 'basics',
    kind: 'number',
    unit: 'OCPUs',
    min: 0,
    when: flexible,
    elsewhere: fixedSizes,
  },
  'data.mem': {
    label: 'Memory',
    help: '0 takes 16 GB for each OCPU.',
    step: 'basics',
    kind: 'number',
    unit: 'GB',
    min: 0,
    when: flexible,
    elsewhere: fixedSizes,
  },
  'data.disk_size': {
    label: 'Disk',
    help: "The size of the image's disk; 0 takes that of the source image.",
    step: 'basics',
    kind: 'number',
    unit: 'GB',
    min: 0,
    max: 65_536,
    elsewhere: otherDisk,
  },
  'data.volume_size': {
    label: 'Disk',
    help: "The size of the image's disk; 0 takes that of the source image.",
    step: 'basics',
    kind: 'number',
    unit: 'GB',
    min: 0,
    max: 65_536,
    elsewhere: otherDisk,
  },
  'data.type': {
    label: 'Disk type',
    help: 'The disk of the machine on which the image is built.',
    step: 'basics',
    kind: 'choice',
    advanced: true,
    elsewhere: 'This provider chooses the disk by itself.',
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
    help: 'Begins the name of the image.',
    step: 'software',
    kind: 'text',
    required: true,
  },
  'data.minimal': {
    label: 'Minimal',
    help: 'Only the resource manager and what it needs: no compilers, libraries and tools.',
    step: 'software',
    kind: 'switch',
  },
  'data.has_vnc': {
    label: 'Remote desktop',
    help: 'Installs a desktop and a VNC server.',
    step: 'software',
    kind: 'switch',
  },
  'data.customize_image': {
    label: 'Customize by hand',
    help: 'The machine stays open after the scripts until you finish the build.',
    step: 'software',
    kind: 'switch',
  },
  'data.proxy': {
    label: 'Proxy',
    help: 'Packages are fetched through it, as in http://proxy.example.org:3128.',
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
    help: 'Together with offer and SKU it names an image of the marketplace.',
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
    help: 'Where a source image of your own is kept.',
    step: 'advanced',
    kind: 'text',
    elsewhere: onlyAzure,
  },
  'data.ssh_username': {
    label: 'Login of the source image',
    help: 'The account of the source image that the build logs in with; empty takes the usual one.',
    step: 'advanced',
    kind: 'text',
  },
  'data.service_account': {
    label: 'Service account',
    help: 'The account that the machine acts with in your project.',
    step: 'advanced',
    kind: 'text',
    elsewhere: 'Service accounts of machines exist only on Google Cloud.',
  },

  'data.resource_group_name': {
    label: 'Resource group',
    help: 'Where the image is kept; it must exist.',
    step: 'network',
    kind: 'text',
    required: true,
    elsewhere: 'Resource groups exist only on Azure.',
  },
  'data.vpc_id': {
    label: 'VPC',
    help: 'A network for the build; empty takes the default one.',
    step: 'network',
    kind: 'text',
    elsewhere: 'VPC ids are those of AWS: name the network in the field that this provider has for it.',
  },
  'data.subnet_network_id': {
    label: 'Network',
    help: 'The network that the subnet is in.',
    step: 'network',
    kind: 'text',
    elsewhere: 'This provider finds the network by the subnet.',
  },
  'data.subnet_id': {
    label: 'Subnet',
    help: 'Where the machine is built; empty takes or makes one.',
    step: 'network',
    kind: 'text',
  },
  'data.security_group_id': {
    label: 'Security group',
    help: 'One that exists and lets SSH in; empty makes one for the build.',
    step: 'network',
    kind: 'text',
    elsewhere: 'This provider needs no security group to build an image.',
  },
  'data.isPrivate': {
    label: 'Private address only',
    help: 'The build is reached through a network of your own.',
    step: 'network',
    kind: 'switch',
  },
} satisfies Record<string, Definition>
export type StackPath = keyof typeof definitions
export const stackFields: Record<StackPath, Definition> = definitions
