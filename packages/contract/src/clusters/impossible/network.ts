import type { CloudClusterInput } from '../cloud'
import { CLOUD_RANGE } from '../../limits'
import type { Field, Provider } from '../../clouds/providers'
import { valueAt } from '../../clouds/field-limits'
import { addressOf, firstPart, outsideReason, overlap, rangeOf } from './addresses'
import type { Problem } from './values'

type Rules = Pick<Provider, 'regions' | 'headSubnet'>
type Data = CloudClusterInput['data']

/**
 * The part of a zone's name after the region: us-east-1a and us-east-1-bos-1a of AWS, us-west1-a and us-south1-ai1b of
 * Google.
 */
const ZONE_SUFFIX = {
  aws: /^(?:[a-z]|-[a-z]{3}-\d+[a-z]|-wl\d+-[a-z]{3}-wlz-\d+)$/,
  gcp: /^-(?:[a-z]|ai\d+[a-z])$/,
}
const isNamedLikeZone = (zone: string, region: string): boolean =>
  zone.startsWith(region) && ZONE_SUFFIX[/-\d+$/.test(region) ? 'aws' : 'gcp'].test(zone.slice(region.length))

/** The pattern of a region's name: us-east-1 and sa-west-2 share one, as do westus2 and northeurope3. */
const formOf = (name: string): string => name.replaceAll(/[a-z]+/g, 'a').replaceAll(/\d+/g, '0')

/**
 * An impossible region of a cluster or stack, or a zone outside its region. A zone named after the region need not be
 * listed.
 */
export function impossibleZones(
  fields: readonly Pick<Field, 'path' | 'kind' | 'or'>[],
  regions: Provider['regions'],
  entity: unknown,
): Problem[] {
  const textAt = (path: string | undefined) => {
    const value = path === undefined ? '' : valueAt(entity, path)
    return typeof value === 'string' ? value : ''
  }
  const regionPath = fields.find(({ kind }) => kind === 'region')?.path
  const regionId = textAt(regionPath)
  const region = regions.find(({ region_id }) => region_id === regionId)
  if (!region)
    // A region that is not listed may be new, or left out of the site's list.
    return regionPath !== undefined &&
      regionId !== '' &&
      regions.length > 0 &&
      !regions.some(({ region_id }) => formOf(region_id) === formOf(regionId))
      ? [[regionPath, `No region named ${regionId}`]]
      : []
  const hasZones = regions.some(({ zones }) => zones !== undefined)
  return fields
    .filter(({ kind }) => kind === 'zone')
    .flatMap(({ path, or }): Problem[] => {
      // Oracle Cloud puts the tenancy's name before the zone's.
      const zone = (textAt(path) || textAt(or)).replace(/^[^:]+:/, '')
      if (zone === '' || !hasZones || isNamedLikeZone(zone, regionId)) return []
      if (!region.zones) return [[path, `${region.name} has no availability zones. Leave this empty.`]]
      if (region.zones.some(({ zone_id }) => zone_id === zone)) return []
      return [
        [
          path,
          `${zone} is not in ${region.name}. Choose ${region.zones.map(({ zone_id }) => zone_id).join(', ')}.`,
        ],
      ]
    })
}

/** An invalid subnet range, or a fixed address that the head node cannot have. */
export function impossibleAddress({ headSubnet }: Rules, data: Data): Problem[] {
  const { private_static_ip, vpc_id, vcn_id, network_id, subnet_id } = data.network
  const path = 'data.network.private_static_ip'
  if (/^[\d.]+\/\d+$/.test(subnet_id) && !rangeOf(subnet_id))
    return [['data.network.subnet_id', 'Enter the first address of the range, such as 10.0.0.0/24']]
  if (private_static_ip === '') return []
  const address = addressOf(private_static_ip)
  if (address === null) return [[path, 'Enter an IPv4 address such as 10.77.0.10']]
  if (subnet_id !== '') {
    // MAAS names a subnet by its range; other clouds' subnet ids do not contain it.
    const range = rangeOf(subnet_id)
    const outside = range && outsideReason(address, range, { first: 1, last: 1 })
    return outside ? [[path, outside]] : []
  }
  if (!headSubnet) return []
  if (vpc_id || vcn_id || network_id) return [[path, 'Enter the subnet that contains this address']]
  const made = rangeOf(data.vcn_cidr || CLOUD_RANGE)
  // Without a public address, the head node is in the nodes' subnet: the second part if there are two.
  const half = made && firstPart(made, headSubnet.bits)
  const size = half ? half.last - half.first + 1 : 0
  const isBeside = data.server.isPrivate && headSubnet.bits > 0
  const own = half && isBeside ? { ...half, first: half.first + size, last: half.last + size } : half
  const outside = own && outsideReason(address, own, headSubnet)
  return outside ? [[path, outside]] : []
}

/**
 * A firewall whose network is not given: the network that is created for the cluster cannot use it. Azure's belong to
 * no network.
 */
export function firewallWithoutNetwork(
  fields: readonly Pick<Field, 'path' | 'within'>[],
  data: Data,
): Problem[] {
  const { vpc_id, vcn_id, network_id, subnet_id } = data.network
  if (vpc_id || vcn_id || network_id || subnet_id) return []
  return fields
    .filter(({ path, within }) =>
      path === 'data.network.security_group_id' ? within !== undefined : path === 'data.network.firewall_id',
    )
    .filter(({ path }) => Boolean(valueAt({ data }, path)))
    .map(({ path }) => [path, 'Also enter the network that it belongs to'])
}

/** The largest VCN that Oracle allows, and the smallest that can be split in two. */
const VCN_BITS = { min: 16, max: 29 }

/** Invalid or overlapping ranges. */
export function impossibleRanges({ LPG, vcn_cidr, local_cidr, network }: Data): Problem[] {
  const problems: Problem[] = []
  const own = rangeOf(vcn_cidr || CLOUD_RANGE)
  const other = rangeOf(local_cidr)
  if (!own || (vcn_cidr && (own.bits < VCN_BITS.min || own.bits > VCN_BITS.max)))
    problems.push([
      'data.vcn_cidr',
      `Enter a range from /${VCN_BITS.min} to /${VCN_BITS.max}, such as 10.0.0.0/16`,
    ])
  if (local_cidr && !other) problems.push(['data.local_cidr', 'Enter a range such as 10.1.0.0/16'])
  if (LPG && !local_cidr)
    problems.push(['data.local_cidr', 'Enter the address range behind the local peering gateway'])
  if (LPG && own && other && overlap(own, other))
    problems.push(['data.local_cidr', `It overlaps the cluster’s own range, ${vcn_cidr || CLOUD_RANGE}`])
  if (LPG && (network.vcn_id || network.subnet_id))
    problems.push(['data.LPG', 'Only a network created with the cluster can be connected to a gateway'])
  return problems
}
