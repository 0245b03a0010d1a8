import type { AttachedData, CloudCluster, Deployed } from '../stored-cluster'

/** Where a cluster is and what runs its jobs; for an attached cluster, as its owner chose. */
export type ConnectionSettings = AttachedData

/**
 * How machines in a cloud and those of the simulated cloud differ. `MachineKind` of cloud/machines has the operations
 * on them, which need rooms that build on this one.
 */
type Platform = {
  connectionSettings(cluster: Pick<CloudCluster, 'data'>, deployed: Deployed): ConnectionSettings
  /** Whether the console creates and removes people's accounts on its machines. */
  createsAccounts: boolean
  /** Added to the VPN profiles of the cluster. */
  vpnNote: string | null
}

/** The console's own account on machines that it created; cloud-init creates it. */
const ADMIN_ACCOUNT = 'flotilla'
const SSH_PORT = 22

/** The built-in executor on the console's own machine. */
export const builtinExecutor: ConnectionSettings = {
  manager: 'none',
  transport: 'local',
  head: null,
  virtualNodes: null,
  partition: '',
  slurmConf: '',
}

const real: Platform = {
  connectionSettings({ data }, { machines }) {
    const machine = machines.find(({ role }) => role === 'head')
    const host = machine?.publicIp ?? machine?.privateIp ?? ''
    return {
      ...builtinExecutor,
      manager: data.manager,
      transport: 'ssh',
      head: {
        host,
        port: SSH_PORT,
        username: ADMIN_ACCOUNT,
        key: 'cluster',
        accounts: 'sudo',
        binFolder: '',
      },
    }
  },
  createsAccounts: true,
  vpnNote: null,
}

const simulated: Platform = {
  // Its nodes belong to the executor: they really run jobs.
  connectionSettings: () => builtinExecutor,
  createsAccounts: false,
  vpnNote: 'This cluster is simulated: there is no machine at the address below.',
}

/** Chooses between what is for the machines of a cloud and what is for those of the simulated cloud. */
export const forPlatform = <T>(deployed: Deployed, kinds: { real: T; simulated: T }): T =>
  deployed.simulated ? kinds.simulated : kinds.real

export const platformOf = (deployed: Deployed): Platform => forPlatform(deployed, { real, simulated })
