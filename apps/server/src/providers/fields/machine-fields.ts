import type { BurstMode } from '@flotilla/contract/clusters/cloud'
import { GPU_PARTITION_MODES, SPECIAL_GPU_SHAPE } from '@flotilla/contract/limits'
import { choicesOf, type Definition } from './describe'

const fixedSizes =
  'Only the flexible shapes of Oracle Cloud take a number of cores and memory: choose a size.'
const noAccelerators = 'Only Google Cloud attaches accelerators: choose a size that has GPUs.'

const burst: Record<BurstMode, string> = {
  off: 'Off: nodes come and go by hand',
  min: 'Min: just the nodes that waiting jobs need',
  max: 'Max: the whole group as soon as a job waits',
  always: 'Always: every node stays up',
}
const flexible = { path: 'flexible', is: ['true'] }

const ocpus = {
  label: 'OCPUs',
  help: 'One OCPU is a physical core with two threads; 0 takes one.',
  kind: 'number',
  unit: 'OCPUs',
  min: 0,
  when: flexible,
  elsewhere: fixedSizes,
} satisfies Partial<Definition>
const mem = {
  label: 'Memory',
  help: 'Memory of each machine; 0 takes 16 GB for each OCPU.',
  kind: 'number',
  unit: 'GB',
  min: 0,
  when: flexible,
  elsewhere: fixedSizes,
} satisfies Partial<Definition>
const volume = {
  label: 'Disk',
  help: "The disk the system is on; 0 takes the image's own size.",
  kind: 'number',
  unit: 'GB',
  min: 0,
  max: 65_536,
} satisfies Partial<Definition>
const diskType = { label: 'Disk type', kind: 'choice', advanced: true } satisfies Partial<Definition>
const acceleratorType = {
  label: 'Accelerator',
  help: 'GPUs that are attached to a size that has none of its own (the n1 sizes).',
  kind: 'choice',
  elsewhere: noAccelerators,
} satisfies Partial<Definition>
const acceleratorCount = {
  label: 'Accelerators',
  help: 'How many are attached to each machine; 0 takes one.',
  kind: 'number',
  min: 0,
  max: 16,
  elsewhere: noAccelerators,
} satisfies Partial<Definition>

/** The head node and what all nodes have in common. */
export const machineFields = {
  'data.server.instance_id': {
    label: 'Size',
    help: 'The head node takes logins, shares the disk and runs the resource manager.',
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
    help: "An image of your own; empty takes the stack's, or the public one of the operating system.",
    step: 'head',
    kind: 'image',
    advanced: true,
  },
  'data.server.isPrivate': {
    label: 'Private address only',
    help: 'The head node gets no public address; you and this console reach it through a network of your own.',
    step: 'head',
    kind: 'switch',
  },
  'data.server.openvpn': {
    label: 'OpenVPN',
    help: 'The head node lets people into the network of the cluster with a profile they download here.',
    step: 'head',
    kind: 'switch',
  },

  'info.node_prefix': {
    label: 'Node prefix',
    help: 'The nodes are called by it and a number, as in node1.',
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
    help: 'When nodes are brought up for jobs that wait.',
    step: 'nodes',
    kind: 'choice',
    choices: choicesOf(burst),
    required: true,
  },
  'info.bursting.burstOnDeploy': {
    label: 'Bring the nodes up on deploy',
    help: 'Otherwise they come when a job waits for them.',
    step: 'nodes',
    kind: 'switch',
  },
  'data.node.idle_purge_s': {
    label: 'Idle time',
    help: 'How long a node may idle before it goes; 0 keeps it.',
    step: 'nodes',
    kind: 'number',
    unit: 'seconds',
    min: 0,
    max: 604_800,
  },
} satisfies Record<string, Definition>

/** A node group; the paths begin at the group. */
const definitions = {
  instance_id: {
    label: 'Size',
    help: 'Every node of the group has it.',
    step: 'nodes',
    kind: 'size',
    required: true,
  },
  count: {
    label: 'Nodes',
    help: 'How many the group has at most.',
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
    help: 'Cuts each A100 into smaller GPUs of the same kind.',
    step: 'nodes',
    kind: 'choice',
    choices: choicesOf(
      Object.fromEntries(GPU_PARTITION_MODES.map((mode, index) => [mode, index === 0 ? 'Whole GPUs' : mode])),
    ),
    when: { path: 'instance_id', is: [SPECIAL_GPU_SHAPE] },
    required: true,
    elsewhere: `GPUs are cut only on ${SPECIAL_GPU_SHAPE} of Oracle Cloud.`,
  },
  efa: {
    label: 'Elastic Fabric Adapter',
    help: 'A fast network between the nodes, which are then placed close together.',
    step: 'nodes',
    kind: 'switch',
    elsewhere: 'Elastic Fabric Adapters exist only on AWS.',
  },
  group_node_prefix: {
    label: 'Node prefix',
    help: "Instead of the cluster's node prefix.",
    step: 'nodes',
    kind: 'text',
    advanced: true,
  },
  group_node_prefix_label: {
    label: 'Name of the group',
    help: 'What people see; jobs can ask for nodes of the group by it.',
    step: 'nodes',
    kind: 'text',
    advanced: true,
  },
} satisfies Record<string, Definition>
export type GroupPath = keyof typeof definitions
export const groupFields: Record<GroupPath, Definition> = definitions
