import type { Bursting, ClusterFacts, PossibleNode } from './input'
import { gpuCount, gpuType } from './gpus'

type Facts = Pick<ClusterFacts, 'name' | 'headName' | 'nodes' | 'bursting'>

/** The system itself needs some of the memory, and less than the cloud's nominal GiB are usable. */
const usableShare = 0.94
const systemMiB = 256
/** If SuspendTime is disabled, Slurm does not start nodes either, so a year stands for never. */
const neverS = 31_536_000

/**
 * Makes slurm.conf, to which the head node adds the settings that depend on its system: accounting and confinement. All
 * possible nodes are in it; those that are not running are CLOUD nodes if Slurm may request them, otherwise they are
 * down. It works with every version from 20.11 to 24.11.
 */
export function slurmConf({ name, headName, nodes, bursting }: Facts): string {
  const groups = alike(nodes)
  const memories = nodes.map((node) => [usableMiB(node), node.cores] as const)
  const memoryKnown = nodes.length > 0 && nodes.every(({ memory }) => memory > 0)
  const lines = [
    `ClusterName=${name.toLowerCase().replaceAll(/[^a-z0-9]/g, '') || 'cluster'}`,
    `SlurmctldHost=${hostName(headName)}`,
    'SlurmUser=slurm',
    'AuthType=auth/munge',
    'StateSaveLocation=/var/lib/slurm/slurmctld',
    'SlurmdSpoolDir=/var/lib/slurm/slurmd',
    'SlurmctldPidFile=/run/slurmctld.pid',
    'SlurmdPidFile=/run/slurmd.pid',
    'SlurmctldLogFile=/var/log/slurm/slurmctld.log',
    'SlurmdLogFile=/var/log/slurm/slurmd.log',
    // These work on every system; the head node replaces them with better ones if its system supports them.
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/affinity',
    'JobAcctGatherType=jobacct_gather/linux',
    'JobCompType=jobcomp/filetxt',
    'JobCompLoc=/var/log/slurm/jobcomp.log',
    'SelectType=select/cons_tres',
    `SelectTypeParameters=${memoryKnown ? 'CR_Core_Memory' : 'CR_Core'}`,
    // Otherwise a job that does not request memory is allocated all memory of its node.
    ...(memoryKnown
      ? [`DefMemPerCPU=${Math.min(...memories.map(([mib, cores]) => Math.floor(mib / cores)))}`]
      : []),
    // The catalog's values apply, even if a machine reports a little less.
    'SlurmdParameters=config_overrides',
    'ReturnToService=2',
    'SlurmdTimeout=120',
    // Fast networks register memory; the limit of the submitting machine must not apply.
    'PropagateResourceLimitsExcept=MEMLOCK',
    // Nodes learn each other's addresses from the controller instead of from each other.
    'TreeWidth=65533',
    // Nodes fetch their configuration from the controller.
    `SlurmctldParameters=enable_configless${bursting ? ',cloud_reg_addrs,idle_on_node_suspend' : ''}`,
    'HealthCheckProgram=/usr/local/lib/flotilla/health',
    'HealthCheckInterval=60',
    'SchedulerParameters=batch_sched_delay=0,sched_interval=10,bf_interval=10',
    ...(nodes.some(({ gpus }) => gpus > 0) ? ['GresTypes=gpu'] : []),
    ...(nodes.some(
      ({ gpuPartitionMode }) => gpuPartitionMode.startsWith('all-') && gpuPartitionMode !== 'all-disabled',
    )
      ? ['TaskProlog=/usr/local/lib/flotilla/task-prolog']
      : []),
    ...(bursting ? powerSaving(bursting) : []),
    ...groups.map((group) => nodeLine(group, bursting !== null)),
    // Slurm does not start without a node; this one is never visible.
    ...(nodes.length === 0 ? ['NodeName=none State=FUTURE'] : []),
    `PartitionName=batch Nodes=${nodes.length === 0 ? 'none' : 'ALL'} Default=YES MaxTime=INFINITE State=UP`,
    ...partitions(nodes),
  ]
  return `${lines.join('\n')}\n`
}

const powerSaving = ({ idleS, resumeTimeoutS, suspendTimeoutS, keep }: Bursting): string[] => [
  // Otherwise nodes that are powered down are not listed.
  'PrivateData=cloud',
  'ResumeProgram=/usr/local/lib/flotilla/flotilla-resume',
  'SuspendProgram=/usr/local/lib/flotilla/flotilla-suspend',
  `SuspendTime=${idleS || neverS}`,
  `SuspendTimeout=${suspendTimeoutS}`,
  `ResumeTimeout=${resumeTimeoutS}`,
  'ResumeRate=0',
  'SuspendRate=0',
  ...(keep.length > 0 ? [`SuspendExcNodes=${keep.map(hostName).join()}`] : []),
]

function nodeLine([first, ...rest]: [PossibleNode, ...PossibleNode[]], cloud: boolean): string {
  const gpus = gpuCount(first)
  const type = gpuType(first)
  return [
    `NodeName=${ranges([first, ...rest].map(({ name }) => hostName(name)))}`,
    `CPUs=${first.cores}`,
    ...(first.memory > 0 ? [`RealMemory=${usableMiB(first)}`] : []),
    ...(gpus > 0 ? [`Gres=gpu:${type && `${type}:`}${gpus}`] : []),
    ...(feature(first.label) ? [`Feature=${feature(first.label)}`] : []),
    `State=${cloud ? 'CLOUD' : 'UNKNOWN'}`,
  ].join(' ')
}

/** One partition per group name, with the nodes of all groups of that name. */
function partitions(nodes: PossibleNode[]): string[] {
  const members = new Map<string, string[]>()
  for (const { name, partition } of nodes) {
    const title = feature(partition)
    if (title) members.set(title, [...(members.get(title) ?? []), hostName(name)])
  }
  return [...members].map(
    ([title, names]) =>
      `PartitionName=${taken.has(title.toLowerCase()) ? `${title}_nodes` : title} Nodes=${ranges(names)} MaxTime=INFINITE State=UP`,
  )
}
/** The partition of all nodes, and names that have a special meaning for Slurm. */
const taken = new Set(['batch', 'default', 'all'])

const usableMiB = ({ memory }: PossibleNode) =>
  Math.max(1, Math.floor(memory * 1024 * usableShare) - systemMiB)
const feature = (label: string) => label.replaceAll(/[^\w.-]/g, '_')

/** The contract allows nothing else; a line break in a name would add a setting. */
function hostName(name: string): string {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new Error(`Not a machine name: ${JSON.stringify(name)}`)
  return name
}

/** Groups nodes that differ only in their names, in order. */
function alike(nodes: PossibleNode[]): [PossibleNode, ...PossibleNode[]][] {
  const groups = new Map<string, [PossibleNode, ...PossibleNode[]]>()
  for (const node of nodes) {
    const key = JSON.stringify({ ...node, name: '' })
    const group = groups.get(key)
    if (group) group.push(node)
    else groups.set(key, [node])
  }
  return [...groups.values()]
}

/** Joins names in Slurm's notation: node1, node2, node3, x7 become node[1-3],x7. */
export function ranges(names: string[]): string {
  const runs: { prefix: string; from: number; to: number }[] = []
  const plain: string[] = []
  for (const name of names) {
    const [, prefix = '', digits = ''] = /^(.*?)(\d*)$/.exec(name) ?? []
    const number = Number(digits)
    const last = runs.at(-1)
    if (digits === '' || digits !== String(number)) plain.push(name)
    else if (last?.prefix === prefix && last.to === number - 1) last.to = number
    else runs.push({ prefix, from: number, to: number })
  }
  return [
    ...runs.map(({ prefix, from, to }) => prefix + (from === to ? from : `[${from}-${to}]`)),
    ...plain,
  ].join()
}
