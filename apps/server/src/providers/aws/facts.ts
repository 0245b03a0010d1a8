import { plain, secret } from '../authentication'
import type { DiskType, SizeOption } from '@flotilla/contract/clouds/providers'
import { choicesOfDisks } from '../fields/describe'
import { awsId, profile } from '../fields/formats'
import { makeFacts } from '../facts'

const TB = 1024
/** docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html, 2026-11-17; variables.ts sets their IOPS. */
const diskTypes: DiskType[] = [
  { id: 'gp3', label: 'General purpose SSD (gp3)', min: 1, max: 64 * TB },
  { id: 'gp2', label: 'General purpose SSD, older (gp2)', min: 1, max: 16 * TB },
  { id: 'io2', label: 'Provisioned IOPS SSD (io2)', min: 4, max: 64 * TB },
  { id: 'io1', label: 'Provisioned IOPS SSD, older (io1)', min: 4, max: 16 * TB },
  { id: 'standard', label: 'Magnetic (standard)', min: 1, max: TB },
]
/**
 * EC2 has no spot quota for HPC and high memory instances:
 * docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html (read 2026-11-17).
 */
const spot: SizeOption = {
  path: 'spot',
  sizes: [{ pattern: String.raw`^(?!hpc\d|u-|u7)`, minCores: 0 }],
  otherwise: 'is not available as a spot machine. Choose another size.',
}
const diskType = { help: 'Defaults to gp3.', choices: choicesOfDisks(diskTypes) }

export const awsFacts = makeFacts({
  id: 'aws',
  sizeOptions: [spot],
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
      help: 'The data center within the region, such as us-east-1a. Leave empty for one that offers the chosen sizes.',
    },
    'data.server.disk_type': diskType,
    'data.server.image_name': {
      placeholder: 'ami-',
      format: awsId('ami'),
      fromAccount: true,
      help: 'Your own AMI. Defaults to the stack’s image, or the public image of the operating system.',
    },
    'data.node.disk_type': diskType,
    'data.network.vpc_id': { fromAccount: true, placeholder: 'vpc-', format: awsId('vpc') },
    'data.network.subnet_id': {
      fromAccount: true,
      within: 'data.network.vpc_id',
      placeholder: 'subnet-',
      format: awsId('subnet'),
    },
    'data.network.allowed_ranges': { when: { path: 'data.network.security_group_id', is: [''] } },
    'data.network.security_group_id': {
      fromAccount: true,
      within: 'data.network.vpc_id',
      placeholder: 'sg-',
      format: awsId('sg'),
    },
    'data.network.eip_id': {
      label: 'Elastic IP',
      fromAccount: true,
      help: 'The allocation ID of an address you own. Leave empty to allocate a new one.',
      placeholder: 'eipalloc-',
      format: awsId('eipalloc'),
    },
    'data.ec2_role': { fromAccount: true, format: profile },
  },
  group: { efa: {}, spot: {} },
  stack: {
    'data.region_id': {},
    'data.zone_id': { label: 'Availability zone', advanced: true },
    'data.volume_size': {},
    'data.type': diskType,
    'data.source_image': { fromAccount: true, placeholder: 'ami-', format: awsId('ami') },
    'data.vpc_id': { fromAccount: true, placeholder: 'vpc-', format: awsId('vpc') },
    'data.subnet_id': {
      fromAccount: true,
      within: 'data.vpc_id',
      placeholder: 'subnet-',
      format: awsId('subnet'),
    },
    'data.security_group_id': {
      fromAccount: true,
      within: 'data.vpc_id',
      placeholder: 'sg-',
      format: awsId('sg'),
    },
  },
  noImage: {},
  // The disk size of these public images.
  images: { 'rocky-8': { disk: 10 }, 'rocky-9': { disk: 10 } },
  diskTypes,
  rootDiskMin: 8,
  diskId: awsId('vol'),
  fileSystems: [
    { name: 'EFS', type: 'nfs', example: 'fs-0a1b2c3d4e5f67890.efs.eu-west-1.amazonaws.com:/' },
    {
      name: 'FSx for Lustre',
      type: 'lustre',
      example: 'fs-0a1b2c3d4e5f67890.fsx.eu-west-1.amazonaws.com@tcp:/mountname',
    },
  ],
  headSubnet: { bits: 1, first: 4, last: 1 },
})
