import {
  given,
  keyUserData,
  tagsWith,
  defaultAccounts,
  type ImageBuild,
  type ImageBuilder,
  type MakeVariable,
} from '../image/image'
import { architectureOf, publicImages } from './images'
import { environment } from './variables'

/** The root disk's device name depends on the image; these are those of the public images. */
const rootDevice = (osType: string) => (osType === 'debian-12' ? '/dev/xvda' : '/dev/sda1')

const speed: Record<string, Record<string, unknown>> = {
  // Packer 1.6 supports gp3, but requires both values, although they have defaults.
  gp3: { iops: 3000, throughput: 125 },
  io1: { iops: 3000 },
  io2: { iops: 3000 },
}

function disks({ data }: ImageBuild, variable: MakeVariable) {
  if (!data.volume_size && !data.type) return {}
  const type = data.type || 'gp3'
  return {
    launch_block_device_mappings: [
      {
        device_name: rootDevice(data.source_os_type),
        delete_on_termination: true,
        volume_type: variable('disk_type', type),
        ...speed[type],
        ...given({ volume_size: data.volume_size && variable('disk_size', data.volume_size) }),
      },
    ],
  }
}

function source({ data }: ImageBuild, variable: MakeVariable) {
  if (data.source_image) return { source_ami: variable('source_image', data.source_image) }
  const image = publicImages[data.source_os_type]
  return {
    source_ami_filter: {
      filters: {
        name: image?.names.join(',') ?? '',
        architecture: architectureOf(data.instance_id),
        'root-device-type': 'ebs',
        'virtualization-type': 'hvm',
      },
      owners: image?.owners ?? [],
      most_recent: true,
    },
  }
}

function network({ data }: ImageBuild, variable: MakeVariable) {
  const { vpc_id, subnet_id, security_group_id, zone_id, isPrivate } = data
  return {
    ...given({
      vpc_id: vpc_id && variable('vpc', vpc_id),
      subnet_id: subnet_id && variable('subnet', subnet_id),
      security_group_id: security_group_id && variable('security_group', security_group_id),
      availability_zone: zone_id && variable('zone', zone_id),
    }),
    // A build in a given network needs one of its subnets.
    ...(vpc_id && !subnet_id ? { subnet_filter: { filters: { state: 'available' }, most_free: true } } : {}),
    ...(vpc_id || subnet_id ? { associate_public_ip_address: !isPrivate } : {}),
    ...(isPrivate ? { ssh_interface: 'private_ip' } : {}),
  }
}

export const imageBuilder: ImageBuilder = {
  builder: (build, variable) => ({
    type: 'amazon-ebs',
    region: variable('region', build.data.region_id),
    instance_type: variable('size', build.data.instance_id),
    ami_name: variable('image_name', build.name),
    ami_description: variable('description', build.description),
    ...source(build, variable),
    ...disks(build, variable),
    ...network(build, variable),
    user_data: variable('user_data', keyUserData(build.sshPublicKey)),
    run_tags: tagsWith(variable, 'build', build.buildTags),
    run_volume_tags: tagsWith(variable, 'build', build.buildTags),
    tags: tagsWith(variable, 'image', build.imageTags),
    snapshot_tags: tagsWith(variable, 'image', build.imageTags),
  }),
  // Packer's AWS SDK reads the credentials from its own environment variables.
  secrets: {},
  environment,
  // The format is us-east-1:ami-0123, with further regions after commas.
  imageIn(artifact) {
    const [region = '', id = ''] = (artifact.split(',')[0] ?? '').split(':')
    return { id, region }
  },
  username: (osType) => (osType === 'debian-12' ? 'admin' : (defaultAccounts[osType] ?? 'ec2-user')),
  publicImage(osType) {
    const image = publicImages[osType]
    return image ? { image: image.names.join(', '), publisher: image.owners.join(', ') } : null
  },
}
