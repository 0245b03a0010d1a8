import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import type { ClusterFacts, PossibleNode, TorqueSource } from '../../../../cloud-init/input'
import { slurmConf } from '../../../../cloud-init/slurm-conf'
import { torqueBlockedReason } from '../../../../cloud-init/torque-source'
import {
  HEAD_ADDRESS,
  SUBNET_RANGES,
  userData,
  userDataTooLongReason,
} from '../../../../cloud-init/user-data'
import { attachedTo } from '../../../../providers/accelerators'
import { hasInfiniband } from '../../../../providers/azure/images'
import type { Catalog, Deployment, ImagePlan, WantedMachine } from '../../../../providers/provider'
import { machineOf } from '../../../../providers/sizes'
import { sealContext } from '../../../../secrets/sealed-values'
import type { Secrets } from '../../../../secrets/secrets'
import type { CloudCluster } from '../../stored-cluster'
import { openRhelKey } from './rhel-key'
import { everyNode, wantedNodes } from '../../wanted-nodes'
import { headNetworkOf, networkOf, placesOf } from './network'

/** An image that machines start from, and its contents. */
export type Image = {
  id: string
  /** The head node's image, which may be another one. */
  headId: string
  manager: 'slurm' | 'torque' | 'none'
  /** The image's region; empty if it is available everywhere. */
  region: string
  /** The plan of the marketplace image that it was built from. */
  plan: ImagePlan | null
}

/** Secrets shared by the machines of a cluster, and the encryption key of its state. Created once. */
const ClusterSecrets = z.object({ passphrase: z.string(), joinKey: z.string() })
type MadeSecrets = z.infer<typeof ClusterSecrets>
/** The created secrets, and the key that users entered. */
type ClusterSecrets = MadeSecrets & { rhelActivationKey: string }

export const sealNewSecrets = (secrets: Secrets, id: string): string =>
  secrets.seal(
    JSON.stringify({
      passphrase: randomBytes(32).toString('base64url'),
      joinKey: randomBytes(32).toString('base64url'),
    } satisfies MadeSecrets),
    sealContext.clusterSecrets(id),
  )
export const openSecrets = (secrets: Secrets, cluster: CloudCluster): ClusterSecrets => {
  const { id, sealed_secrets } = cluster
  if (!sealed_secrets) throw new Error('this cluster has no secrets of its own')
  return {
    ...ClusterSecrets.parse(
      JSON.parse(secrets.open(sealed_secrets, sealContext.clusterSecrets(id)).toString()),
    ),
    rhelActivationKey: openRhelKey(secrets, cluster),
  }
}

/** How long a node may take to come up and to go down before Slurm considers it lost. */
const RESUME_S = 1200
const SUSPEND_S = 120

export const headName = (cluster: CloudCluster): string => (cluster.info.prefix || 'head').replace(/-+$/, '')

/**
 * The prefix of all names in the cloud. It is unique among all names ever used, as clouds reserve the names of deleted
 * resources for a while. It is stored at the deploy: a new name would replace a running cluster's network.
 */
export const prefixOf = (cluster: CloudCluster): string => {
  const slug = cluster.name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
  const id = cluster.id
    .slice(0, 6)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '0')
  // On Azure and GCP a kept disk still has its name.
  const round = cluster.name_round > 0 ? `-${cluster.name_round + 1}` : ''
  return `${(slug || 'cluster').slice(0, 20).replace(/-+$/, '')}-${id}${round}`
}

/** The hardware of a machine, for the resource manager and for the user interface. */
export function capacityOf(catalog: Catalog | null, machine: WantedMachine, accelerators: number) {
  const size = catalog?.sizes.find(({ instance_id }) => instance_id === machine.instance_id)
  // A size that is in no catalog is treated as the smallest: the resource manager corrects it.
  const known = size ?? (machine.instance_id === '' ? smallestOf(catalog) : { cores: 1, memory: 0 })
  if (!size || isOwn(catalog))
    return {
      // A machine has at least what was requested.
      cores: Math.max(known.cores, machine.ocpus),
      memory: Math.max(known.memory ?? 0, machine.mem),
      gpus: (size?.gpus ?? 0) + accelerators,
      gpuModel: size?.gpuModel ?? '',
    }
  const { cores, memory = 0, gpus } = machineOf(size, machine, accelerators)
  return { cores, memory, gpus, gpuModel: size.gpuModel ?? '' }
}

/** Whether the machines are the site's own, in no region. A shape promises what the smallest of its machines has. */
const isOwn = (catalog: Catalog | null): boolean => catalog?.regions.length === 0
const smallestOf = (catalog: Catalog | null) => {
  const sizes = catalog?.sizes ?? []
  if (sizes.length === 0) return { cores: 1, memory: 0 }
  return {
    cores: Math.min(...sizes.map(({ cores }) => cores)),
    memory: Math.min(...sizes.map(({ memory = 0 }) => memory)),
  }
}

/** The hardware of a node: what the cloud reported where it is up, otherwise what its size promises. */
export function capacityOfNode(
  { deployed, data }: Pick<CloudCluster, 'deployed' | 'data'>,
  catalog: Catalog | null,
  node: WantedMachine,
) {
  const capacity = capacityOf(catalog, node, attachedTo(data.node, node.instance_id))
  const up = deployed?.machines.find(({ name, role }) => role === 'node' && name === node.name)
  return up?.reportedMemory === undefined
    ? capacity
    : { ...capacity, cores: up.cores, memory: up.reportedMemory }
}

/** Google's name of an accelerator, such as nvidia-tesla-t4, as catalogs have it: NVIDIA T4. */
const acceleratorModel = (type: string) => type.toUpperCase().replace(/^NVIDIA-(TESLA-)?/, 'NVIDIA ')

const fabricOf = (provider: string, { efa, rdma, instance_id }: WantedMachine): PossibleNode['fabric'] => {
  if (provider === 'aws' && efa) return 'efa'
  if (provider === 'oracle' && rdma) return 'rdma'
  return provider === 'azure' && hasInfiniband(instance_id) ? 'rdma' : 'none'
}

type Parts = {
  cluster: CloudCluster
  catalog: Catalog | null
  image: Image | null
  torqueSource: TorqueSource | null
  secrets: ClusterSecrets
}

/** The cloud-init input of a machine. */
function factsOf({ cluster, catalog, image, torqueSource, secrets }: Parts): ClusterFacts {
  const { data, info } = cluster
  const nodes = everyNode(cluster).map((node): PossibleNode => {
    const group = data.node.group[node.group]
    const capacity = capacityOfNode(cluster, catalog, node)
    return {
      name: node.name,
      label: group?.group_node_prefix_label ?? '',
      partition: group?.group_node_prefix_label || group?.group_node_prefix || '',
      ...capacity,
      gpuModel: capacity.gpuModel || acceleratorModel(data.node.accelerator_type),
      gpuPartitionMode: node.gpu_partition_mode,
      fabric: fabricOf(cluster.provider, node),
    }
  })
  return {
    // Never changes, as Slurm does not start once its cluster was renamed.
    name: `flotilla${cluster.id}`,
    headName: headName(cluster),
    manager: data.manager,
    share: data.share,
    nodes,
    bursting:
      info.bursting.mode === 'off'
        ? null
        : {
            idleS: data.node.idle_purge_s,
            resumeTimeoutS: RESUME_S,
            suspendTimeoutS: SUSPEND_S,
            keep: info.bursting.mode === 'always' ? nodes.map(({ name }) => name) : [],
          },
    consoleKeys: cluster.public_key ? [cluster.public_key] : [],
    joinKey: secrets.joinKey,
    networks: [SUBNET_RANGES, data.local_cidr].filter(Boolean),
    mounts: data.mounts,
    packages: data.packages,
    gpuSoftware: data.gpu_software,
    provisionScript: data.provision.script,
    rhelActivationKey: secrets.rhelActivationKey,
    rhelOrganization: data.rhel_organization_id,
    // Clouds limit the size of user data: what the image contains is left out.
    torqueSource: image?.manager === 'torque' ? null : torqueSource,
    vnc: { tokenAuthentication: info.vncTokenAuthentication, remoteClient: info.vncRemoteClient },
    metadata: data.ec2_role || data.service_account ? 'everyone' : 'root',
  }
}

/** Slurm's configuration as it should be now. */
export const slurmConfOf = (parts: Parts): string => slurmConf(factsOf(parts))

/** All variables of a cluster's module. */
export function deploymentOf(parts: Parts): Deployment {
  const { cluster, image, catalog } = parts
  const { data } = cluster
  const facts = factsOf(parts)
  const nodes = wantedNodes(cluster)
  const node = ({ name }: WantedMachine): [string, string] => [
    name,
    userData({ cluster: facts, machine: { role: 'node', name, headAddress: HEAD_ADDRESS } }),
  ]
  return {
    id: cluster.id,
    name: cluster.name,
    description: cluster.description,
    prefix: cluster.name_prefix ?? prefixOf(cluster),
    tags: { ...data.tags, flotilla_cluster: cluster.id, flotilla_name: cluster.name },
    osType: cluster.info['os-type'],
    image: image?.id ?? null,
    headImage: image?.headId ?? null,
    imagePlan: image?.plan ?? null,
    data,
    headName: facts.headName,
    headNetwork: headNetworkOf(cluster),
    nodes: nodes.map((wanted) => ({ ...wanted, network: networkOf(cluster, catalog, wanted) })),
    places: placesOf(cluster),
    sshPublicKey: cluster.public_key ?? '',
    headUserData: userData({
      cluster: facts,
      machine: {
        role: 'head',
        address: '',
        // If some disks exist already, the devices are known only once all are attached: they are mounted then.
        disks: data.disks.some(({ id }) => id !== '')
          ? []
          : data.disks.map(({ name, size }) => ({ name, size, hints: [] })),
      },
    }),
    nodeUserData: Object.fromEntries(nodes.map(node)),
  }
}

/** Google's images are available everywhere; those of MAAS belong to one server. */
const isRegional = (provider: string) => ['aws', 'azure', 'oracle'].includes(provider)

/** Why the machines would have no resource manager, or null. */
export const torqueMissingReason = ({ cluster, image, torqueSource }: Parts): string | null =>
  torqueBlockedReason({
    manager: cluster.data.manager,
    imageHasTorque: image?.manager === 'torque',
    torqueSource,
    osType: cluster.info['os-type'],
  })

/** Why the cluster cannot be deployed, checked before it costs anything. */
export function deployBlockedReason(parts: Parts): string | null {
  const { cluster, image } = parts
  const { network } = cluster.data
  if (cluster.stack_id !== null && !image) return 'The stack has no image yet: build it first'
  if (
    image?.region &&
    network.region_id &&
    image.region !== network.region_id &&
    isRegional(cluster.provider)
  )
    return `The image of the stack is in ${image.region}, but the cluster is in ${network.region_id}: build the stack there, or choose its region for the cluster`
  const { headUserData, nodeUserData } = deploymentOf(parts)
  for (const text of [headUserData, ...Object.values(nodeUserData)]) {
    const long = userDataTooLongReason(cluster.provider, text)
    if (long) return long
  }
  return null
}
