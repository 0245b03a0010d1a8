import { given, tagsWith, user, type ImageBuild, type ImageBuilder, type MakeVariable } from '../image/image'
import type { MarketplaceImage } from '../provider'
import { architectureOf, guessPlan, publicImages } from './images'
import { environment } from './variables'

/** The marketplace image that a build starts from, unless it uses an image of the account. */
function marketplaceImage(data: ImageBuild['data']): MarketplaceImage | null {
  if (data.source_image) return null
  if (data.source_image_publisher)
    return {
      publisher: data.source_image_publisher,
      offer: data.source_image_offer,
      sku: data.source_image_sku,
      version: 'latest',
    }
  return publicImages[data.source_os_type]?.[architectureOf(data.instance_id)] ?? null
}

function source({ data, plan: reported }: ImageBuild, variable: MakeVariable) {
  const image = marketplaceImage(data)
  if (!image) {
    const group = data.source_resource_group_name || data.resource_group_name
    return {
      custom_managed_image_name: variable('source_image', data.source_image),
      custom_managed_image_resource_group_name: variable('source_group', group),
    }
  }
  const plan = reported === undefined ? guessPlan(image) : reported
  return {
    image_publisher: variable('source_publisher', image.publisher),
    image_offer: variable('source_offer', image.offer),
    image_sku: variable('source_sku', image.sku),
    image_version: image.version,
    ...(plan && {
      plan_info: {
        plan_name: variable('plan_name', plan.name),
        plan_product: variable('plan_product', plan.product),
        plan_publisher: variable('plan_publisher', plan.publisher),
      },
    }),
  }
}

function network({ data }: ImageBuild, variable: MakeVariable) {
  const { subnet_network_id, subnet_id, isPrivate } = data
  if (!subnet_network_id) return {}
  return {
    ...given({
      virtual_network_name: variable('network', subnet_network_id),
      virtual_network_subnet_name: subnet_id && variable('subnet', subnet_id),
    }),
    private_virtual_network_with_public_ip: !isPrivate,
  }
}

export const imageBuilder: ImageBuilder = {
  marketplaceImage,
  builder: (build, variable) => ({
    type: 'azure-arm',
    client_id: user('azure_client'),
    client_secret: user('azure_secret'),
    subscription_id: user('azure_subscription'),
    tenant_id: user('azure_tenant'),
    os_type: 'Linux',
    location: variable('region', build.data.region_id),
    vm_size: variable('size', build.data.instance_id),
    managed_image_name: variable('image_name', build.name),
    managed_image_resource_group_name: variable('group', build.data.resource_group_name),
    ...source(build, variable),
    ...given({
      os_disk_size_gb: build.data.disk_size && variable('disk_size', build.data.disk_size),
      managed_image_storage_account_type: build.data.type && variable('disk_type', build.data.type),
    }),
    ...network(build, variable),
    // The tags of the group that Packer creates for the build and everything in it. The image gets them too, and is
    // found through its stack.
    azure_tags: tagsWith(variable, 'build', build.buildTags),
  }),
  secrets: {
    azure_client: 'ARM_CLIENT_ID',
    azure_secret: 'ARM_CLIENT_SECRET',
    azure_subscription: 'ARM_SUBSCRIPTION_ID',
    azure_tenant: 'ARM_TENANT_ID',
  },
  environment,
  imageIn: (artifact, { region_id }) => ({ id: artifact, region: region_id }),
  // Azure creates the account that is given.
  username: () => 'flotilla',
  publicImage(osType) {
    const image = publicImages[osType]?.x86_64
    return image ? { image: `${image.offer} ${image.sku}`, publisher: image.publisher } : null
  },
}
