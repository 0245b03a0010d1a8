import { plain, secret } from '../authentication'
import { choicesOf } from '../fields/describe'
import { makeFacts } from '../facts'

const diskType = {
  help: 'Defaults to gp3.',
  choices: choicesOf({
    gp3: 'General purpose SSD (gp3)',
    gp2: 'General purpose SSD, older (gp2)',
    io2: 'Provisioned IOPS SSD (io2)',
    io1: 'Provisioned IOPS SSD, older (io1)',
    standard: 'Magnetic (standard)',
  }),
}

export const awsFacts = makeFacts({
  id: 'aws',
  authentications: [
    plain('access_key', 'Access key', {
      icon: 'key',
      help: 'The access key ID, which begins with AKIA or ASIA.',
    }),
    secret('secret_key', 'Secret key'),
    secret('session_token', 'Session token', {
      required: false,
      icon: 'clock',
      help: 'Only for temporary keys, which begin with ASIA and expire after a few hours.',
    }),
  ],
  cluster: {
    'data.network.region_id': {},
    'data.network.zone_id': {
      label: 'Availability zone',
      help: 'The data center within the region, such as us-east-1a. Leave empty to let AWS choose.',
    },
    'data.server.disk_type': diskType,
    'data.server.image_name': {
      placeholder: 'ami-',
      help: "Your own AMI. Defaults to the stack's image, or the public image of the operating system.",
    },
    'data.node.disk_type': diskType,
    'data.network.vpc_id': { placeholder: 'vpc-' },
    'data.network.subnet_id': { placeholder: 'subnet-' },
    'data.network.allowed_ranges': { when: { path: 'data.network.security_group_id', is: [''] } },
    'data.network.security_group_id': { placeholder: 'sg-' },
    'data.network.eip_id': {
      label: 'Elastic IP',
      help: 'The allocation ID of an address you own. Leave empty to allocate a new one.',
      placeholder: 'eipalloc-',
    },
    'data.ec2_role': {},
  },
  group: { efa: {}, spot: {} },
  stack: {
    'data.region_id': {},
    'data.zone_id': { label: 'Availability zone', advanced: true },
    'data.volume_size': {},
    'data.type': diskType,
    'data.source_image': { placeholder: 'ami-' },
    'data.vpc_id': { placeholder: 'vpc-' },
    'data.subnet_id': { placeholder: 'subnet-' },
    'data.security_group_id': { placeholder: 'sg-' },
  },
  noImage: {},
})
