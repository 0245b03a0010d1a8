import type { BurstMode } from '@flotilla/contract/clusters/cloud'
import {
  GPU_PARTITION_MODES,
  GPU_PARTS,
  IDLE_PURGE_S,
  SPECIAL_GPU_SHAPE,
  SPECIAL_GPU_SHAPE_GPUS,
} from '@flotilla/contract/limits'
import { choicesOf, type Definition } from './describe'

const fixedSizes =
  'Only Oracle Cloud’s flexible shapes let you choose cores and memory. Choose a size instead.'
const noAccelerators = 'Only Google Cloud attaches accelerators. Choose a size with GPUs instead.'

const burst: Record<BurstMode, string> = {
  off: 'Off: add and remove nodes manually',
  min: 'Min: only the nodes that waiting jobs need',
  max: 'Max: the whole group as soon as a job is waiting',
  always: 'Always: every node stays up',
}
const flexible = { path: 'flexible', is: ['true'] }

const ocpus = {
  label: 'OCPUs',
  help: 'One OCPU is a physical core with two threads. 0 means one.',
  kind: 'number',
  unit: 'OCPUs',
  min: 0,
  when: flexible,
  elsewhere: fixedSizes,
} satisfies Partial<Definition>
const mem = {
  label: 'Memory',
  help: 'Memory of each machine. 0 means 16 GB per OCPU.',
  kind: 'number',
  unit: 'GB',
  min: 0,
  when: flexible,
  elsewhere: fixedSizes,
} satisfies Partial<Definition>
const volume = {
  label: 'Disk',
  help: 'Size of the system disk. 0 uses the image’s size.',
  kind: 'number',
  unit: 'GB',
  min: 0,
  max: 65_536,
} satisfies Partial<Definition>
const diskType = { label: 'Disk type', kind: 'choice', advanced: true } satisfies Partial<Definition>
const acceleratorType = {
  label: 'Accelerator',
  help: 'GPUs attached to a size without built-in GPUs (the n1 sizes). Groups of other sizes get none.',
  kind: 'choice',
  elsewhere: noAccelerators,
} satisfies Partial<Definition>
const acceleratorCount = {
  label: 'Accelerators',
  help: 'How many are attached to each machine. 0 means one.',
  kind: 'number',
  min: 0,
  max: 16,
  elsewhere: noAccelerators,
} satisfies Partial<Definition>

/** Fields of the head node, and those that all nodes share. */
export const machineFields = {
  'data.server.instance_id': {
    label: 'Size',
    help: 'The head node accepts logins, shares its disk and runs the resource manager.',
    step: 'head',
    kind: 'size',
    required: true,
  },
  'data.server.ocpus': { ...ocpus, step: 'head' },
  'data.server.mem': { ...mem, step: 'head' },
  'data.server.volume_size': { ...volume, step: 'head' },
  'data.server.disk_type': { ...diskType, step: 'head' },
  'data.server.accelerator_type': { ...acceleratorType, step: 'head', advanced: true },
  'data.server.accelerator_count': { ...acceleratorCount, step: 'head', advanced: true },
  'data.server.image_name': {
    label: 'Image',
    help: 'Your own image. Defaults to the stack’s image, or the public image of the operating system.',
    step: 'head',
    kind: 'image',
    advanced: true,
  },
  'data.server.isPrivate': {
    label: 'Private address only',
    help: 'The head node gets no public address. You and this console reach it through your own network.',
    step: 'head',
    kind: 'switch',
  },
  'data.server.openvpn': {
    label: 'OpenVPN',
    help: 'The head node gives users access to the cluster’s network with a profile they download here.',
    step: 'head',
    kind: 'switch',
  },

  'info.node_prefix': {
    label: 'Node prefix',
    help: 'Node names are this prefix and a number, such as node1.',
    step: 'nodes',
    kind: 'text',
    required: true,
  },
  'data.node.volume_size': { ...volume, step: 'nodes' },
  'data.node.disk_type': { ...diskType, step: 'nodes' },
  'data.node.accelerator_type': { ...acceleratorType, step: 'nodes' },
  'data.node.accelerator_count': { ...acceleratorCount, step: 'nodes' },
  'info.bursting.mode': {
    label: 'Burst mode',
    help: 'When nodes are started for waiting jobs.',
    step: 'nodes',
    kind: 'choice',
    choices: choicesOf(burst),
    required: true,
  },
  'info.bursting.burstOnDeploy': {
    label: 'Start nodes on deploy',
    help: 'Otherwise they start when a job is waiting for them.',
    step: 'nodes',
    kind: 'switch',
  },
  'data.node.idle_purge_s': {
    label: 'Idle time',
    help: 'How long a node can be idle before it is removed.',
    zero: { label: 'Never remove idle nodes', otherwise: IDLE_PURGE_S },
    step: 'nodes',
    kind: 'number',
    unit: 'seconds',
    min: 0,
    max: 604_800,
  },
} satisfies Record<string, Definition>

/** The fields of a node group; the paths are relative to the group. */
const definitions = {
  instance_id: {
    label: 'Size',
    help: 'The size of every node in the group.',
    step: 'nodes',
    kind: 'size',
    required: true,
  },
  count: {
    label: 'Nodes',
    help: 'The maximum number of nodes in the group.',
    step: 'nodes',
    kind: 'number',
    required: true,
    min: 0,
    max: 1000,
  },
  ocpus: { ...ocpus, step: 'nodes' },
  mem: { ...mem, step: 'nodes' },
  gpu_partition_mode: {
    label: 'GPU partitions',
    help: 'Partitions each A100 into smaller GPUs of equal size (MIG).',
    step: 'nodes',
    kind: 'choice',
    choices: choicesOf(
      Object.fromEntries(
        GPU_PARTITION_MODES.map((mode, index) => [
          mode,
          `${index === 0 ? 'Whole GPUs' : mode}: ${(GPU_PARTS[mode] ?? 1) * SPECIAL_GPU_SHAPE_GPUS} per node`,
        ]),
      ),
    ),
    when: { path: 'instance_id', is: [SPECIAL_GPU_SHAPE] },
    required: true,
    elsewhere: `GPUs can be partitioned only on Oracle Cloud’s ${SPECIAL_GPU_SHAPE}.`,
  },
  efa: {
    label: 'Elastic Fabric Adapter',
    help: 'A fast network between the nodes, which are placed close together. Sizes with several network cards get an adapter on each.',
    step: 'nodes',
    kind: 'switch',
    elsewhere: 'Elastic Fabric Adapters are available only on AWS.',
  },
  compact: {
    label: 'Compact placement',
    help: 'Nodes are placed close together for lower latency.',
    step: 'nodes',
    kind: 'switch',
    elsewhere: 'Compact placement is available only on Google Cloud.',
  },
  tier1: {
    label: 'Tier_1 networking',
    help: 'More bandwidth, for an additional charge. For sizes with at least 30 vCPUs.',
    step: 'nodes',
    kind: 'switch',
    elsewhere: 'Tier_1 networking is available only on Google Cloud.',
  },
  rdma: {
    label: 'RDMA network',
    help: 'The nodes share a fast network that bypasses the kernel. For bare metal HPC and GPU shapes.',
    step: 'nodes',
    kind: 'switch',
    elsewhere: 'RDMA networks are available only on Oracle Cloud.',
  },
  spot: {
    label: 'Spot machines',
    help: 'Cheaper, but the cloud can reclaim them at any time. Slurm then requeues their jobs; Torque and the built-in executor report them as failed.',
    step: 'nodes',
    kind: 'switch',
    elsewhere: 'Your own machines are never reclaimed.',
  },
  group_node_prefix: {
    label: 'Node prefix',
    help: 'Overrides the cluster’s node prefix.',
    step: 'nodes',
    kind: 'text',
    advanced: true,
  },
  group_node_prefix_label: {
    label: 'Group name',
    help: 'The name users see. Jobs can request nodes of the group by it.',
    step: 'nodes',
    kind: 'text',
    advanced: true,
  },
} satisfies Record<string, Definition>
export type GroupPath = keyof typeof definitions
export const groupFields: Record<GroupPath, Definition> = definitions
