import { given, tagsWith, user, type ImageBuild, type ImageBuilder, type MakeVariable } from '../image/image'
import { architectureOf, publicImages } from './images'
import { environment, labels } from './variables'

function source({ data }: ImageBuild, variable: MakeVariable) {
  if (data.source_image) return { source_image: variable('source_image', data.source_image) }
  const image = publicImages[data.source_os_type]?.[architectureOf(data.instance_id)]
  return { source_image_family: image?.family, source_image_project_id: image?.project }
}

export const imageBuilder: ImageBuilder = {
  builder(build, variable) {
    const { data } = build
    return {
      type: 'googlecompute',
      project_id: user('gcp_project'),
      account_file: user('gcp_account'),
      region: variable('region', data.region_id),
      zone: variable('zone', data.zone_id),
      machine_type: variable('size', data.instance_id),
      image_name: variable('image_name', build.name),
      image_description: variable('description', build.description),
      ...source(build, variable),
      ...given({
        disk_size: data.disk_size && variable('disk_size', data.disk_size),
        disk_type: data.type && variable('disk_type', data.type),
        network: data.subnet_network_id && variable('network', data.subnet_network_id),
        subnetwork: data.subnet_id && variable('subnet', data.subnet_id),
        service_account_email: data.service_account && variable('service_account', data.service_account),
      }),
      disable_default_service_account: !data.service_account,
      use_internal_ip: data.isPrivate,
      omit_external_ip: data.isPrivate,
      labels: tagsWith(variable, 'build', labels(build.buildTags)),
      image_labels: tagsWith(variable, 'image', labels(build.imageTags)),
    }
  },
  secrets: { gcp_account: 'GOOGLE_CREDENTIALS', gcp_project: 'GOOGLE_PROJECT' },
  environment,
  imageIn: (artifact, { region_id }) => ({ id: artifact, region: region_id }),
  // Google creates the account that is given.
  username: () => 'flotilla',
  publicImage(osType) {
    const image = publicImages[osType]?.x86_64
    return image ? { image: image.family, publisher: image.project } : null
  },
}
