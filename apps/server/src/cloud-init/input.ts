import type { GpuSoftware } from '@flotilla/contract/clusters/inputs'

/** What a machine's setting up is made from. Everything in it was checked by the contract before. */
export interface MachineInput {
  cluster: ClusterFacts
  machine: HeadMachine | NodeMachine
}

export interface ClusterFacts {
  /** Slurm's name of the cluster; anything that is no letter or number is left out of it. */
  name: string
  headName: string
  manager: 'slurm' | 'torque' | 'none'
  share: 'nfs' | 'none'
  /** Every node there can be, of all groups, whether it is up or not. */
  nodes: PossibleNode[]
  /** Null: nodes are started and stopped manually only. */
  bursting: Bursting | null
  /** Public keys of the console's own account, a line each. */
  consoleKeys: string[]
  /** Random, the same for all machines of the cluster, at least 32 characters: nodes unlock the cluster's key with it. */
  joinKey: string
  /** Networks of the cluster's machines, as 10.0.0.0/16, or `SUBNET_RANGES`. Empty: the one that a machine finds itself in. */
  networks: string[]
  /** File systems of the network, on all machines. */
  mounts: FileSystem[]
  packages: string[]
  /** What nodes with NVIDIA GPUs install unless their image has it. */
  gpuSoftware: GpuSoftware
  provisionScript: string
  rhelActivationKey: string
  rhelOrganization: string
  /** Where Torque comes from when the image has none. */
  torqueSource: TorqueSource | null
  vnc: { tokenAuthentication: boolean; remoteClient: boolean }
  /** Whether only root may ask the cloud about the instance. Not so where jobs need the instance's role. */
  metadata: 'root' | 'everyone'
}

/** As /etc/fstab has it; none of it has a space. */
interface FileSystem {
  type: 'nfs' | 'lustre'
  source: string
  path: string
  options: string
}

export interface PossibleNode {
  name: string
  /** Of the group: jobs can ask for it. Empty for none. */
  label: string
  /** Slurm's partition of the group, beside the one of all nodes; empty for none. */
  partition: string
  cores: number
  /** GiB; 0 when it is not known. */
  memory: number
  gpus: number
  /** A network that bypasses the kernel and needs software of its own: AWS's EFA, Azure's InfiniBand, Oracle's RDMA networks. */
  fabric: 'efa' | 'rdma' | 'none'
  /** As the catalog has it: NVIDIA A100. Empty when it is not known. */
  gpuModel: string
  /** How the GPUs are cut; empty where they cannot be. */
  gpuPartitionMode: string
}

export interface Bursting {
  /** Seconds that a node may idle; 0 keeps it. */
  idleS: number
  /** Until a node that Slurm asked for must have joined. */
  resumeTimeoutS: number
  /** Until a node that Slurm let go is surely gone. */
  suspendTimeoutS: number
  /** Nodes that stay, however long they idle. */
  keep: string[]
}

/** The text of a .list or .repo file, and what to install from it. */
export interface TorqueSource {
  file: string
  /** The key that the packages are signed with; empty when the file itself names it. */
  key: string
  headPackages: string[]
  nodePackages: string[]
}

interface HeadMachine {
  role: 'head'
  /** Left to the machine when it is not known yet. */
  address: string
  disks: HeadDisk[]
}

/** More disks: each is mounted at /mnt/<name>. */
export interface HeadDisk {
  name: string
  /** GB. */
  size: number
  /** Where it may be found: /dev/disk/by-id/google-data, or serial:<number>. */
  hints: string[]
}

interface NodeMachine {
  role: 'node'
  name: string
  /** Of the head node; `HEAD_ADDRESS` where only the infrastructure module knows it. */
  headAddress: string
}
