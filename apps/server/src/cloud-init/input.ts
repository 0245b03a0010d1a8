import type { GpuSoftware } from '@flotilla/contract/clusters/inputs'

/** The input of a machine's setup, which the contract has already validated. */
export interface MachineInput {
  cluster: ClusterFacts
  machine: HeadMachine | NodeMachine
}

export interface ClusterFacts {
  /** Slurm's name of the cluster; characters other than letters and numbers are dropped. */
  name: string
  headName: string
  manager: 'slurm' | 'torque' | 'none'
  share: 'nfs' | 'none'
  /** Every possible node of all groups, running or not. */
  nodes: PossibleNode[]
  /** Null if nodes are only started and stopped manually. */
  bursting: Bursting | null
  /** The public keys of the console's own account, one per line. */
  consoleKeys: string[]
  /**
   * A random key of at least 32 characters that is the same on all machines of the cluster: nodes decrypt the cluster's
   * key with it.
   */
  joinKey: string
  /**
   * The networks of the cluster's machines, such as 10.0.0.0/16, or `SUBNET_RANGES`. If empty, each machine uses the
   * network that it is in.
   */
  networks: string[]
  /** Network file systems that are mounted on all machines. */
  mounts: FileSystem[]
  packages: string[]
  /** Installed on nodes with NVIDIA GPUs unless their image includes it. */
  gpuSoftware: GpuSoftware
  provisionScript: string
  rhelActivationKey: string
  rhelOrganization: string
  /** The source of Torque if the image does not include it. */
  torqueSource: TorqueSource | null
  vnc: { tokenAuthentication: boolean; remoteClient: boolean }
  /** Who may access the cloud's metadata service: only root, unless jobs need the instance's role. */
  metadata: 'root' | 'everyone'
}

/** An entry in the format of /etc/fstab; no field contains a space. */
interface FileSystem {
  type: 'nfs' | 'lustre'
  source: string
  path: string
  options: string
}

export interface PossibleNode {
  name: string
  /** A label of the group that jobs can request. Empty if it has none. */
  label: string
  /** The group's Slurm partition, in addition to the one of all nodes; empty if it has none. */
  partition: string
  cores: number
  /** GiB; 0 if unknown. */
  memory: number
  gpus: number
  /**
   * A network that bypasses the kernel and needs its own software: AWS's EFA, Azure's InfiniBand, Oracle's RDMA
   * networks.
   */
  fabric: 'efa' | 'rdma' | 'none'
  /** The catalog's name of the model: NVIDIA A100. Empty if unknown. */
  gpuModel: string
  /** How the GPUs are partitioned; empty if they cannot be. */
  gpuPartitionMode: string
}

export interface Bursting {
  /** Idle seconds after which a node is powered down; 0 keeps it. */
  idleS: number
  /** Seconds within which a node that Slurm requested must have joined. */
  resumeTimeoutS: number
  /** Seconds after which a node that Slurm powered down is considered off. */
  suspendTimeoutS: number
  /** Nodes that are never powered down. */
  keep: string[]
}

/** The content of a .list or .repo file, and the packages to install from it. */
export interface TorqueSource {
  file: string
  /** The key that the packages are signed with; empty if the file itself refers to one. */
  key: string
  headPackages: string[]
  nodePackages: string[]
}

interface HeadMachine {
  role: 'head'
  /** Empty if unknown: the machine then determines it itself. */
  address: string
  disks: HeadDisk[]
}

/** An additional disk, which is mounted at /mnt/<name>. */
export interface HeadDisk {
  name: string
  /** GB. */
  size: number
  /** Where the disk may be found: /dev/disk/by-id/google-data, or serial:<number>. */
  hints: string[]
}

interface NodeMachine {
  role: 'node'
  name: string
  /** The head node's address; `HEAD_ADDRESS` if only the infrastructure module knows it. */
  headAddress: string
}
