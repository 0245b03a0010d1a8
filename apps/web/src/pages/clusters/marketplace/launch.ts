import type { MarketplaceEntry } from '@flotilla/contract/stacks/marketplace'
import type { Field, Provider } from '@flotilla/contract/clouds/providers'
import { newGroup, newValues } from '../cloud-form/values/cloud-values'
import type { CloudValues } from '../cloud-form/values/cloud-values'

/** A new cluster with the entry's defaults, which are the first items of its lists. */
export function valuesOfEntry({ name, config }: MarketplaceEntry, provider: Provider): CloudValues {
  const values = newValues(provider)
  const { data, info } = values
  const region = config.allowed_regions[0] ?? ''
  const image = config.marketplace_images[region]?.head_image_id ?? ''
  const { publisher, offer, sku, marketplace_image_version } = config
  return {
    ...values,
    name,
    info: {
      ...info,
      prefix: config.server_prefix,
      node_prefix: config.node_prefix,
      'os-type': config.os_types[0] ?? info['os-type'],
    },
    data: {
      ...data,
      manager: config.resource_manager,
      gpu_software: config.gpu_software,
      tags: { ...config.tags },
      marketplace_image_reference: { publisher, offer, sku, marketplace_image_version },
      network: {
        ...data.network,
        region_id: region,
        zone_id: config.start_zone || (config.allowed_zones[0] ?? ''),
      },
      server: {
        ...data.server,
        instance_id: config.instance_type[0] ?? '',
        volume_size: config.min_volume,
        image_name: image,
      },
      node: {
        ...data.node,
        group: [{ ...newGroup(), count: config.node_count, instance_id: config.computeNodeSize[0] ?? '' }],
        volume_size: config.min_volume,
      },
    },
  }
}

/** A field limited to the entry's sizes or minimum disk size. The default of 0, the image's size, may be too small. */
const limited = (field: Field, sizes: readonly string[], least: number): Field => {
  if (field.kind === 'size') return { ...field, sizes: [...sizes] }
  return field.path.endsWith('.volume_size')
    ? { ...field, min: least, help: `System disk, ${least} GB or more.` }
    : field
}

/** The provider limited to the entry: its regions, zones, operating systems, sizes and minimum disk. */
export function narrowed(provider: Provider, { config }: MarketplaceEntry): Provider {
  return {
    ...provider,
    regions: provider.regions
      .filter(({ region_id }) => config.allowed_regions.includes(region_id))
      .map((region) =>
        config.allowed_zones.length === 0 || !region.zones
          ? region
          : {
              ...region,
              zones: region.zones.filter(({ zone_id }) => config.allowed_zones.includes(zone_id)),
            },
      ),
    osTypes: provider.osTypes.filter(({ id }) => config.os_types.includes(id)),
    clusterFields: provider.clusterFields.map((field) =>
      limited(field, config.instance_type, config.min_volume),
    ),
    groupFields: provider.groupFields.map((field) =>
      limited(field, config.computeNodeSize, config.min_volume),
    ),
  }
}
