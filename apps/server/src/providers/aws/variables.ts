import {
  byName,
  chooseNetwork,
  commonValues,
  givenFirewall,
  letIn,
  letters,
  noImage,
  orNull,
  rulesFor,
  slots,
  userData,
  when,
} from '../module/module-parts'
import type { CredentialData, Deployment, WantedMachine } from '../provider'
import { architectureOf, publicImages } from './images'

export const DISK_TYPE = 'gp3'
/** xvdba to xvdcz: names that a root disk never has. */
const DEVICES = 52

/** Disks with provisioned IOPS need a value; 50 per GB is what the slowest of them supports. */
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
  const { ssh, vpn } = letIn(deployment)
  const place = slots(
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
  const node = ({ instance_id, efa, spot }: WantedMachine) => ({
    instance_type: instance_id,
    arch: architectureOf(instance_id),
    image: deployment.image ?? '',
    ...rootDisk(data.node.disk_type, data.node.volume_size),
    efa,
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
    placement: when(
      data.node.group.some(({ efa }) => efa),
      'efa',
      'cluster',
    ),
    head,
    ...machines,
    disks: byName(data.disks, ({ id, name, size, type }) => ({
      id,
      size,
      type: type || DISK_TYPE,
      iops: iops(type, size),
      device: `/dev/xvd${letters(2 * 26 + (place[name] ?? 0))}`,
    })),
  }
}

/** The public images that are looked up: none where all machines have an image of their own. */
function imagesOf(osType: string, machines: { arch: string; image: string }[]) {
  const architectures = machines.filter(({ image }) => !image).map(({ arch }) => arch)
  if (architectures.length === 0) return {}
  const image = publicImages[osType] ?? noImage(osType, 'AWS')
  return Object.fromEntries(architectures.map((arch) => [arch, image]))
}

export const secretVariables = userData

export const environment = ({ access_key = '', secret_key = '', session_token }: CredentialData) => ({
  AWS_ACCESS_KEY_ID: access_key,
  AWS_SECRET_ACCESS_KEY: secret_key,
  ...(session_token ? { AWS_SESSION_TOKEN: session_token } : {}),
})
