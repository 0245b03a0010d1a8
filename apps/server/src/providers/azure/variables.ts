import {
  byName,
  chooseNetwork,
  commonValues,
  givenFirewall,
  allowedSources,
  noImage,
  orNull,
  refuse,
  ruleFor,
  slots,
  when,
} from '../module/module-parts'
import type { CredentialData } from '../fields/credential-data'
import type { Deployment, MarketplaceImage, WantedNode } from '../provider'
import {
  architectureOf,
  guessPlan,
  hasInfiniband,
  publicImages,
  type Reference,
  supportsPremiumStorage,
  urnOf,
} from './images'

/** The maximum number of disks of an Azure machine. */
const LUNS = 64
const nothing: Reference = { publisher: '', offer: '', sku: '', version: '', plan: null }
/** /subscriptions/<id>/resourceGroups/<group>/providers/<provider>/<type>/<name>, or only the name. */
const nameIn = (id: string) => id.split('/').at(-1) ?? id
const groupIn = (id: string) => /\/resourceGroups\/([^/]+)/i.exec(id)?.[1]

/** The provider looks up a subnet by the names in its id. */
function givenSubnet(id: string) {
  const network = /\/virtualNetworks\/([^/]+)\/subnets\//i.exec(id)?.[1] ?? ''
  const group = groupIn(id) ?? ''
  return when(Boolean(network && group), 'given', { name: nameIn(id), network, group })
}

/** The marketplace image of machines of a size, if they start from one. */
function referenceOf({ data, osType, imagePlans }: Deployment, size: string): Reference {
  const { publisher, offer, sku, marketplace_image_version } = data.marketplace_image_reference
  const chosen = publisher && {
    publisher,
    offer,
    sku,
    version: marketplace_image_version || 'latest',
    plan: guessPlan({ publisher, offer, sku }),
  }
  const arch = architectureOf(size)
  const found = chosen || (publicImages[osType]?.[arch] ?? noImage(osType, `${arch} machines on Azure`))
  const reported = imagePlans?.[urnOf(found)]
  return reported === undefined ? found : { ...found, plan: reported }
}

const ownHeadImage = ({ data, headImage }: Deployment) => data.server.image_name || (headImage ?? '')

/** The marketplace images of all machines, without duplicates. */
export function marketplaceImages(deployment: Deployment): MarketplaceImage[] {
  const { data, image, nodes } = deployment
  const sizes = [
    ...(ownHeadImage(deployment) || image ? [] : [data.server.instance_id]),
    ...(image ? [] : nodes.map(({ instance_id }) => instance_id)),
  ]
  const found = sizes.map((size) => referenceOf(deployment, size))
  return [...new Map(found.map((one) => [urnOf(one), one])).values()]
}

/** The source of a machine's image: the marketplace, an id, or a name in one of the user's groups. */
function imageOf(deployment: Deployment, size: string, own: string) {
  const chosen = own || deployment.image
  if (chosen) {
    const named = !chosen.startsWith('/')
    // A machine also needs the plan if its image was built from a marketplace image.
    const plan = [deployment.image, deployment.headImage].includes(chosen) ? deployment.imagePlan : null
    const reference = { ...nothing, plan }
    return { image_name: named ? chosen : '', image_id: named ? '' : chosen, reference }
  }
  return { image_name: '', image_id: '', reference: referenceOf(deployment, size) }
}

export function variables(deployment: Deployment) {
  const { data, nodes, prefix, places, headNetwork } = deployment
  const { network, subnet, made, inside } = chooseNetwork(deployment)
  const firewall = givenFirewall(deployment)
  const { ssh, vpn } = allowedSources(deployment)
  const group = data.resource_group_id
  const zone = data.network.zone_id
  const gateway = when(!subnet, 'made', prefix)
  const ownAddress = !data.server.isPrivate && !data.network.eip_id
  const slot = slots(
    data.disks.map(({ name }) => name),
    LUNS,
  )
  const machine = (size: string, own: string, type: string, volume: number) => ({
    size,
    disk_type: type || (supportsPremiumStorage(size) ? 'Premium_LRS' : 'StandardSSD_LRS'),
    volume_size: orNull(volume),
    ...imageOf(deployment, size, own),
  })
  const head = {
    name: deployment.headName,
    private_ip: orNull(data.network.private_static_ip),
    zone: orNull(zone),
    accelerated: headNetwork.accelerated,
    ...machine(
      data.server.instance_id,
      ownHeadImage(deployment),
      data.server.disk_type,
      data.server.volume_size,
    ),
  }
  /**
   * InfiniBand only works between machines in the same availability set. A set supports neither zones nor spot
   * machines, so these nodes are in no zone, unless an older version put them into one.
   */
  const setOf = ({ instance_id: size, spot }: Pick<WantedNode, 'instance_id' | 'spot'>, place = '') =>
    hasInfiniband(size) && !spot && (!zone || place !== '') ? size.toLowerCase() : ''
  const node = (wish: WantedNode) => ({
    availability_set: setOf(wish, wish.network.place),
    zone: setOf(wish, wish.network.place) ? null : orNull(zone),
    accelerated: wish.network.accelerated,
    spot: wish.spot,
    ...machine(wish.instance_id, '', data.node.disk_type, data.node.volume_size),
  })
  const wanted = byName(nodes, node)
  const sets = [
    ...data.node.group.map((wish, index) => setOf(wish, places[index])),
    ...nodes.map((wish) => setOf(wish, wish.network.place)),
  ].filter(Boolean)
  return {
    ...commonValues(deployment),
    region: data.network.region_id,
    zone: orNull(zone),
    resource_group: when(!group, 'made', prefix),
    resource_group_name: nameIn(group),
    network: made,
    inside,
    virtual_network_name: nameIn(network),
    virtual_network_group: groupIn(network) ?? nameIn(group),
    subnet_id: subnet,
    given_subnet: givenSubnet(subnet),
    gateway,
    addresses: { ...when(!subnet, 'nat', `${prefix}-nat`), ...when(ownAddress, 'head', `${prefix}-head`) },
    address_id: data.network.eip_id,
    private: data.server.isPrivate,
    firewall: firewall ? {} : { head: 'head', node: 'node' },
    security_group_id: firewall,
    ssh: ruleFor(ssh),
    vpn: ruleFor(vpn),
    own_images: Object.fromEntries(
      [head, ...Object.values(wanted)]
        .filter(({ image_name }) => image_name)
        .map(({ image_name }) => [image_name, groupOfImages(deployment)]),
    ),
    availability_sets: Object.fromEntries(sets.map((set) => [set, set])),
    head,
    nodes: wanted,
    disks: byName(data.disks, ({ id, name, size, type }) => ({
      id,
      size,
      type: type || 'StandardSSD_LRS',
      lun: slot[name] ?? 0,
    })),
  }
}

const groupOfImages = ({ data }: Deployment) =>
  data.image_resource_group_name ||
  nameIn(data.resource_group_id) ||
  refuse('data.image_resource_group_name', 'Enter the resource group of the image')

export const environment = ({
  client_id = '',
  client_secret = '',
  subscription_id = '',
  tenant_id = '',
}: CredentialData) => ({
  ARM_CLIENT_ID: client_id,
  ARM_CLIENT_SECRET: client_secret,
  ARM_SUBSCRIPTION_ID: subscription_id,
  ARM_TENANT_ID: tenant_id,
})
