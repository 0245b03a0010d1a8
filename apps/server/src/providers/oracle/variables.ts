import { SPECIAL_GPU_SHAPE } from '@flotilla/contract/limits'
import {
  byName,
  chooseNetwork,
  commonValues,
  digest,
  givenFirewall,
  allowedSources,
  letters,
  noImage,
  orNull,
  refuse,
  rulesFor,
  slots,
  when,
} from '../module/module-parts'
import type { CredentialData } from '../fields/credential-data'
import type { Deployment, WantedMachine } from '../provider'
import { NO_OWN_ADDRESS } from './facts'
import { isBareMetal, isFlexible, publicImages } from './images'
import { GB_OF_OCPU } from './shapes'

/** oraclevdb to oraclevdag. */
const DEVICES = 32
const BALANCED = 10

const vpus = (type: string) => (type ? Number(type) : BALANCED)

const machine = (
  shape: string,
  ocpus: number,
  mem: number,
  disk: { disk_type: string; volume_size: number },
) => ({
  shape,
  flexible: isFlexible(shape),
  ocpus: ocpus || 1,
  mem: mem || (ocpus || 1) * GB_OF_OCPU,
  volume_size: orNull(disk.volume_size),
  vpus: vpus(disk.disk_type),
})

/** A tag that shows the GPU partitioning in Oracle's console; cloud-init does the partitioning. */
const partitions = ({ instance_id, gpu_partition_mode }: WantedMachine) =>
  when(instance_id === SPECIAL_GPU_SHAPE, 'flotilla_gpu_partitions', gpu_partition_mode)

const preemptible = ({ spot, instance_id, group }: WantedMachine): boolean =>
  spot && isBareMetal(instance_id)
    ? refuse(
        `data.node.group.${group}.spot`,
        'Oracle Cloud has no preemptible bare metal machines. Choose a VM shape.',
      )
    : spot

export function variables(deployment: Deployment) {
  const { data, nodes } = deployment
  const { network, subnet, made, inside } = chooseNetwork(deployment)
  const firewall = givenFirewall(deployment)
  const { ssh, vpn } = allowedSources(deployment)
  if (data.network.eip_id || data.network.fip_address) refuse('data.network.eip_id', NO_OWN_ADDRESS)
  const slot = slots(
    data.disks.map(({ name }) => name),
    DEVICES,
  )
  const { instance_id, ocpus, mem, image_name } = data.server
  const head = {
    name: deployment.headName,
    private_ip: orNull(data.network.private_static_ip),
    image: image_name || (deployment.headImage ?? ''),
    ...machine(instance_id, ocpus, mem, data.server),
  }
  const wanted = byName(nodes, (node) => ({
    tags: partitions(node),
    spot: preemptible(node),
    place: node.rdma ? node.network.place : '',
    image: deployment.image ?? '',
    ...machine(node.instance_id, node.ocpus, node.mem, data.node),
  }))
  const rdmaPlaces = [
    ...data.node.group.flatMap(({ rdma }, index) => (rdma ? [deployment.places[index] ?? ''] : [])),
    ...Object.values(wanted).map(({ place }) => place),
  ].filter(Boolean)
  return {
    ...commonValues(deployment),
    region: data.network.region_id,
    zone:
      data.network.availability_domain ||
      data.network.zone_id ||
      refuse('data.network.availability_domain', 'Choose an availability domain'),
    dns_label: `c${digest(deployment.id).toString(36)}`,
    network: made,
    inside,
    given_subnet: when(Boolean(subnet), 'given', subnet),
    vcn_id: network,
    subnet_id: subnet,
    peering: peeringOf(deployment),
    firewall: when(!firewall, 'made', deployment.prefix),
    ssh: rulesFor(ssh),
    vpn: rulesFor(vpn),
    security_group_id: firewall,
    private: data.server.isPrivate,
    images: imagesOf(deployment.osType, [head, ...Object.values(wanted)]),
    attachment_type: isBareMetal(instance_id) ? 'iscsi' : 'paravirtualized',
    head,
    nodes: wanted,
    rdma_networks: Object.fromEntries(rdmaPlaces.map((place) => [place, `${deployment.prefix}-${place}`])),
    disks: byName(data.disks, ({ id, name, size, type }) => ({
      id,
      size,
      vpus: vpus(type),
      device: `/dev/oracleoci/oraclevd${letters(1 + (slot[name] ?? 0))}`,
    })),
  }
}

/** A gateway to another network, with the routes through it; routes on the other side are up to its owner. */
function peeringOf({ data }: Deployment) {
  return when(Boolean(data.LPG), 'peer', { id: data.LPG, range: data.local_cidr })
}

/** The platform images to look up, by shape, because only Oracle knows which image fits. */
function imagesOf(osType: string, machines: { shape: string; image: string }[]) {
  const shapes = machines.filter(({ image }) => !image).map(({ shape }) => shape)
  return Object.fromEntries(
    shapes.map((shape) => [shape, publicImages[osType] ?? noImage(osType, 'Oracle Cloud')]),
  )
}

export const environment = ({
  user_ocid = '',
  tenancy_ocid = '',
  compartment_ocid = '',
  key_file = '',
  fingerprint = '',
}: CredentialData) => ({
  OCI_USER_OCID: user_ocid,
  OCI_TENANCY_OCID: tenancy_ocid,
  OCI_PRIVATE_KEY: key_file,
  OCI_FINGERPRINT: fingerprint,
  TF_VAR_compartment_id: compartment_ocid,
})
