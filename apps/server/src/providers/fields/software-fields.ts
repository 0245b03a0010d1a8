import { gpuSoftwareNames, managerNames } from '@flotilla/contract/clusters/inputs'
import { choicesOf, type Definition } from './describe'

const onlyAzure = 'Available only on Azure.'
const torque = { path: 'data.manager', is: ['torque'] }

/** The software on the machines, the identity that they use in the cloud, and the image that they start from. */
export const softwareFields = {
  'data.manager': {
    label: 'Resource manager',
    help: 'What queues and starts jobs.',
    step: 'software',
    kind: 'choice',
    choices: choicesOf(managerNames),
    required: true,
  },
  'data.moab.ip': {
    label: 'Moab address',
    help: 'Stored for sites whose Moab reads it. The console does not use it.',
    step: 'software',
    kind: 'text',
    when: torque,
    advanced: true,
  },
  'data.moab.hostname': {
    label: 'Moab hostname',
    help: 'Stored for sites whose Moab reads it. The console does not use it.',
    step: 'software',
    kind: 'text',
    when: torque,
    advanced: true,
  },
  'data.share': {
    label: 'Shared folders',
    help: 'NFS shares the head node’s home folders and software with every node.',
    step: 'software',
    kind: 'choice',
    choices: choicesOf({ nfs: 'NFS from the head node', none: 'None' }),
    required: true,
  },
  'data.packages': {
    label: 'Packages',
    help: 'Operating system packages to install on every machine.',
    step: 'software',
    kind: 'tags',
  },
  'data.gpu_software': {
    label: 'GPU software',
    help: 'Installed on nodes with NVIDIA GPUs when they start, unless their image has it. Nodes without a working driver get no jobs.',
    step: 'software',
    kind: 'choice',
    choices: choicesOf(gpuSoftwareNames),
    required: true,
  },
  'data.provision.script': {
    label: 'Script',
    help: 'Run as root on every machine once it is ready.',
    step: 'software',
    kind: 'textarea',
  },
  'info.vncTokenAuthentication': {
    label: 'One-time token for desktops',
    help: 'A remote desktop opens only with a token that the console creates for it.',
    step: 'software',
    kind: 'switch',
    advanced: true,
  },
  'info.vncRemoteClient': {
    label: 'Allow other VNC clients',
    help: 'Users can also connect to desktops with their own VNC client.',
    step: 'software',
    kind: 'switch',
    advanced: true,
  },
  'data.rhel_activation_key': {
    label: 'Red Hat activation key',
    help: 'Registers machines whose image is Red Hat Enterprise Linux.',
    step: 'software',
    kind: 'password',
    advanced: true,
  },
  'data.rhel_organization_id': {
    label: 'Red Hat organization',
    help: 'The organization that the activation key belongs to.',
    step: 'software',
    kind: 'text',
    advanced: true,
  },

  'data.ec2_role': {
    label: 'EC2 role',
    help: 'The instance profile that the machines use in your account.',
    step: 'advanced',
    kind: 'text',
    elsewhere: 'EC2 roles exist only on AWS.',
  },
  'data.service_account': {
    label: 'Service account',
    help: 'The account that the machines use in your project.',
    step: 'advanced',
    kind: 'text',
    elsewhere: 'Service accounts of machines exist only on Google Cloud.',
  },
  'data.image_resource_group_name': {
    label: 'Resource group of the image',
    help: 'The resource group of your own image, if you enter its name instead of its ID.',
    step: 'advanced',
    kind: 'text',
    elsewhere: onlyAzure,
  },
  'data.marketplace_image_reference.publisher': {
    label: 'Image publisher',
    help: 'Together with the offer and SKU, identifies a marketplace image.',
    step: 'advanced',
    kind: 'text',
    elsewhere: onlyAzure,
  },
  'data.marketplace_image_reference.offer': {
    label: 'Image offer',
    step: 'advanced',
    kind: 'text',
    elsewhere: onlyAzure,
  },
  'data.marketplace_image_reference.sku': {
    label: 'Image SKU',
    step: 'advanced',
    kind: 'text',
    elsewhere: onlyAzure,
  },
  'data.marketplace_image_reference.marketplace_image_version': {
    label: 'Image version',
    help: 'Defaults to the latest.',
    step: 'advanced',
    kind: 'text',
    elsewhere: onlyAzure,
  },
} satisfies Record<string, Definition>
