import {
  byName,
  chooseNetwork,
  commonValues,
  givenFirewall,
  allowedSources,
  letters,
  noImage,
  orNull,
  rulesFor,
  slots,
  when,
} from '../module/module-parts'
import type { CredentialData } from '../fields/credential-data'
import type { Deployment, WantedNode } from '../provider'
import { architectureOf, publicImages } from './images'

export const DISK_TYPE = 'gp3'
/** xvdba to xvdcz: device names that a root disk never has. */
const DEVICES = 52

/** Disks with provisioned IOPS need a value; 50 per GB is the limit of the slowest type. */
const iops = (type: string, size: number) => (/^io[12]$/.test(type) ? Math.min(3000, 50 * (size || 8)) : null)

const rootDisk = (type: string, size: number) => ({
  volume_size: orNull(size),
  volume_type: type || DISK_TYPE,
  iops: iops(type, size),
})

export function variables(deployment: Deployment) {
  const { data, nodes } = deployment
  const { network, subnet, made, inside } = chooseNetwork(deployment)
  const firewall = givenFirewall(deployment)
  const { ssh, vpn } = allowedSources(deployment)
  const slot = slots(
    data.disks.map(({ name }) => name),
    DEVICES,
  )
  const head = {
    name: deployment.headName,
    instance_type: data.server.instance_id,
    arch: architectureOf(data.server.instance_id),
    image: data.server.image_name || (deployment.headImage ?? ''),
    ...rootDisk(data.server.disk_type, data.server.volume_size),
    private_ip: orNull(data.network.private_static_ip),
  }
  const node = ({ instance_id, efa, spot, network: { place, efaInterfaces } }: WantedNode) => ({
    instance_type: instance_id,
    arch: architectureOf(instance_id),
    image: deployment.image ?? '',
    ...rootDisk(data.node.disk_type, data.node.volume_size),
    efa,
    place: efa ? placementKey(place) : '',
    adapters: efa && efaInterfaces > 1 ? adaptersKey(efaInterfaces) : '',
    spot,
  })
  const machines = { nodes: byName(nodes, node) }
  return {
    ...commonValues(deployment),
    region: data.network.region_id,
    zone: data.network.zone_id,
    network: made,
    inside,
    given_subnet: when(Boolean(subnet), 'given', subnet),
    vpc_id: network,
    subnet_id: subnet,
    firewall: when(!firewall, 'made', deployment.prefix),
    ssh: rulesFor(ssh),
    vpn: rulesFor(vpn),
    security_group_id: firewall,
    private: data.server.isPrivate,
    address: when(!data.server.isPrivate, 'head', { id: data.network.eip_id }),
    images: imagesOf(deployment.osType, [head, ...Object.values(machines.nodes)]),
    instance_profile: orNull(data.ec2_role),
    placement: placementOf(deployment),
    adapters: adaptersOf(nodes),
    head,
    ...machines,
    disks: byName(data.disks, ({ id, name, size, type }) => ({
      id,
      size,
      type: type || DISK_TYPE,
      iops: iops(type, size),
      device: `/dev/xvd${letters(2 * 26 + (slot[name] ?? 0))}`,
    })),
  }
}

/** Older versions placed the whole cluster in one group; nodes from them keep its name. */
const ONE_FOR_ALL = 'efa'
const placementKey = (place: string) => place || ONE_FOR_ALL

/** The names of the placement groups: one for each node group with EFA. */
function placementOf({ prefix, data, nodes, places }: Deployment): Record<string, string> {
  const keys = [
    ...data.node.group.flatMap(({ efa }, index) => (efa ? [placementKey(places[index] ?? '')] : [])),
    ...nodes.flatMap(({ efa, network }) => (efa ? [placementKey(network.place)] : [])),
  ]
  return Object.fromEntries(
    keys.map((key) => [key, key === ONE_FOR_ALL ? `${prefix}-efa` : `${prefix}-efa-${key}`]),
  )
}

const adaptersKey = (count: number) => `${count}-adapters`

/**
 * The network interfaces on each card of a machine. Only the first has an address: several in one subnet would answer
 * ARP requests for each other. Source: docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html, 2026-11-17.
 */
function adaptersOf(nodes: WantedNode[]) {
  const counts = nodes.flatMap(({ efa, network }) => (efa ? [network.efaInterfaces] : []))
  return Object.fromEntries(
    [...new Set(counts)]
      .filter((count) => count > 1)
      .map((count) => [
        adaptersKey(count),
        Array.from({ length: count }, (_, card) =>
          card === 0 ? { card, device: 0, type: 'efa' } : { card, device: 1, type: 'efa-only' },
        ),
      ]),
  )
}

/** The public images to look up: none if all machines have an image of their own. */
function imagesOf(osType: string, machines: { arch: string; image: string }[]) {
  const architectures = machines.filter(({ image }) => !image).map(({ arch }) => arch)
  if (architectures.length === 0) return {}
  const image = publicImages[osType] ?? noImage(osType, 'AWS')
  return Object.fromEntries(architectures.map((arch) => [arch, image]))
}

export const environment = ({ access_key = '', secret_key = '', session_token }: CredentialData) => ({
  AWS_ACCESS_KEY_ID: access_key,
  AWS_SECRET_ACCESS_KEY: secret_key,
  ...(session_token ? { AWS_SESSION_TOKEN: session_token } : {}),
})
