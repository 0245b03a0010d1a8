import { byName, noImage, orNull, refuse } from '../module/module-parts'
import type { CredentialData } from '../fields/credential-data'
import type { Deployment } from '../provider'
import { publicImages } from './images'

const MB_OF_GB = 1024
/** Prefix of the cluster's id. */
export const TAG = 'flotilla-'

/** A shape is what machines have in common: tag:<name> or pool:<name>; a bare name is a tag. */
export const shapeOf = (shape: string) => {
  const [, kind, name] = /^(?:(tag|pool):)?(.*)$/.exec(shape) ?? []
  return {
    pool: kind === 'pool' ? orNull(name ?? '') : null,
    tags: kind !== 'pool' && name ? [name] : [],
  }
}

const machine = (shape: string, ocpus: number, mem: number, image: string) => ({
  ...shapeOf(shape),
  cores: orNull(ocpus),
  memory: orNull(mem * MB_OF_GB),
  image,
})

export function variables(deployment: Deployment) {
  const { data, nodes, osType } = deployment
  const { network_id, subnet_id, private_static_ip, zone_name, fip_address } = data.network
  if ((subnet_id || private_static_ip) && !network_id)
    refuse('data.network.network_id', 'Enter the network interface for the subnet or address')
  if (private_static_ip && !subnet_id)
    refuse('data.network.subnet_id', 'Enter the address range of the subnet that contains the address')
  const image = deployment.image ?? publicImages[osType]
  const { instance_id, ocpus, mem, image_name } = data.server
  return {
    tags: deployment.tags,
    zone: orNull(zone_name),
    tag: `${TAG}${deployment.id}`,
    network_interface: network_id,
    subnet_range: orNull(subnet_id),
    public_ip: fip_address,
    head: {
      private_ip: orNull(private_static_ip),
      ...machine(instance_id, ocpus, mem, image_name || (image ?? noImage(osType, 'MAAS'))),
    },
    nodes: byName(nodes, (node) =>
      machine(node.instance_id, node.ocpus, node.mem, image ?? noImage(osType, 'MAAS')),
    ),
  }
}

export const environment = ({ api_url = '', api_key = '' }: CredentialData) => ({
  MAAS_API_URL: api_url,
  MAAS_API_KEY: api_key,
})
