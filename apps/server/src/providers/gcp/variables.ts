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
  when,
} from '../module/module-parts'
import { attachedTo } from '../accelerators'
import type { CredentialData } from '../fields/credential-data'
import type { Deployment } from '../provider'
import { architectureOf, balancedDisk, hostMaintenance, publicImages } from './images'

interface Wishes {
  disk_type: string
  volume_size: number
  accelerator_type: string
  accelerator_count: number
}

const machine = (machineType: string, image: string, wishes: Wishes) => {
  const accelerators = attachedTo(wishes, machineType)
  return {
    machine_type: machineType,
    arch: architectureOf(machineType),
    image,
    volume_size: orNull(wishes.volume_size),
    disk_type: wishes.disk_type || balancedDisk(machineType),
    accelerator_type: accelerators > 0 ? wishes.accelerator_type : '',
    accelerator_count: accelerators,
    host_maintenance: hostMaintenance(machineType, accelerators),
  }
}

export function variables(deployment: Deployment) {
  const { data, nodes, prefix, places } = deployment
  const { network: vpc, subnet, made, inside } = chooseNetwork(deployment)
  const firewall = givenFirewall(deployment)
  const { ssh, vpn } = allowedSources(deployment)
  const { isPrivate, image_name, instance_id } = data.server
  const head = {
    private_ip: orNull(data.network.private_static_ip),
    ...machine(instance_id, image_name || (deployment.headImage ?? ''), data.server),
  }
  const wanted = byName(nodes, ({ spot, compact, tier1, network: { place }, instance_id: size }) => ({
    spot,
    place: compact ? place : '',
    tier1,
    ...machine(size, deployment.image ?? '', data.node),
    // If it were migrated to another host, the node would no longer be close to the others.
    ...(compact && { host_maintenance: 'TERMINATE' }),
  }))
  const compactPlaces = [
    ...data.node.group.flatMap(({ compact }, index) => (compact ? [places[index] ?? ''] : [])),
    ...Object.values(wanted).map(({ place }) => place),
  ].filter(Boolean)
  return {
    ...commonValues(deployment),
    tags: labels(deployment.tags),
    mark: `flotilla_cluster=${deployment.id}`,
    region: data.network.region_id,
    zone: data.network.zone_id || refuse('data.network.zone_id', 'Choose a zone'),
    network: made,
    network_id: vpc,
    subnet_range: { ...made, ...byPart(inside) },
    given_subnet: when(Boolean(subnet), 'given', {
      name: subnet.includes('/') ? null : subnet,
      self_link: subnet.includes('/') ? subnet : null,
    }),
    firewall: when(!firewall, 'made', prefix),
    ssh: ruleFor(ssh),
    vpn: ruleFor(vpn),
    network_tags: firewall ? [firewall] : [],
    private: isPrivate,
    address: when(!isPrivate && !givenAddress(deployment), 'made', `${prefix}-head`),
    address_ip: givenAddress(deployment),
    images: imagesOf(deployment.osType, [head, ...Object.values(wanted)]),
    service_account: data.service_account,
    placement: Object.fromEntries(compactPlaces.map((place) => [place, `${prefix}-${place}`])),
    head,
    nodes: wanted,
    disks: byName(data.disks, ({ id, size, type }) => ({
      id,
      size,
      type: type || balancedDisk(instance_id),
    })),
  }
}

const givenAddress = ({ data }: Deployment) => data.network.fip_address

/**
 * A Google network has no range of its own: subnets can have any range that no other subnet has. The ranges of Google's
 * default subnets begin at 10.128.
 */
const byPart = (inside: Record<string, number>) =>
  Object.fromEntries(Object.entries(inside).map(([key, part]) => [key, `10.${32 + part}.0.0/20`]))

/** The public images to look up: none if all machines have an image of their own. */
function imagesOf(osType: string, machines: { arch: 'x86_64' | 'arm64'; image: string }[]) {
  const architectures = machines.filter(({ image }) => !image).map(({ arch }) => arch)
  return Object.fromEntries(
    architectures.map((arch) => [
      arch,
      publicImages[osType]?.[arch] ?? noImage(osType, `${arch} machines on Google Cloud`),
    ]),
  )
}

/** Labels may contain lowercase letters, numbers, dashes and underscores; other characters of tags are replaced. */
const label = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, 63)
export const labels = (tags: Record<string, string>) =>
  Object.fromEntries(Object.entries(tags).map(([name, value]) => [label(name), label(value)]))

/** If the key was copied from the JSON file manually, its line breaks are still escaped. */
export const privateKeyOf = ({ private_key = '' }: CredentialData) =>
  private_key.replaceAll(String.raw`\n`, '\n')

/** The complete key file: its fields are the credential's. */
export const environment = (credential: CredentialData) => ({
  GOOGLE_CREDENTIALS: JSON.stringify({ ...credential, private_key: privateKeyOf(credential) }),
  GOOGLE_PROJECT: credential.project_id ?? '',
})
