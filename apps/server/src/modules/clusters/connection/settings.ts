import * as z from 'zod/mini'
import { HeadNode, Manager, VirtualNodes } from '@flotilla/contract/clusters/inputs'
import { dataOf, deployedOf } from '../cloud/stored'
import type { FoundCluster } from '../store'

/** The column `data` of an attached cluster: what its owner chose, without secrets. */
export const StoredData = z.object({
  manager: Manager,
  transport: z.enum(['local', 'ssh']),
  head: z.nullable(z.omit(HeadNode, { privateKey: true })),
  virtualNodes: z.nullable(VirtualNodes),
  partition: z.string(),
  slurmConf: z.string(),
})
export type ConnectionSettings = z.infer<typeof StoredData>

/** The console's own account on machines that it made; cloud-init makes it. */
const ADMIN_ACCOUNT = 'flotilla'
const SSH_PORT = 22

const here: ConnectionSettings = {
  manager: 'none',
  transport: 'local',
  head: null,
  virtualNodes: null,
  partition: '',
  slurmConf: '',
}

/** Paths that no admin has confirmed are not used: they decide which programs run under everyone's account. */
function attached(cluster: FoundCluster): ConnectionSettings {
  const settings = StoredData.parse(cluster.data)
  if (cluster.paths_confirmed) return settings
  return { ...settings, slurmConf: '', head: settings.head && { ...settings.head, binFolder: '' } }
}

/** How a cluster is reached and what runs its jobs: as its owner said, or as the cloud made it. */
export function connectionSettings(cluster: FoundCluster): ConnectionSettings {
  if (cluster.provider === 'local') return attached(cluster)
  const deployed = deployedOf(cluster)
  // The machines of the simulated cloud are the executor's.
  if (!deployed || deployed.simulated) return here
  const head = deployed.machines.find(({ role }) => role === 'head')
  const host = head?.publicIp ?? head?.privateIp ?? ''
  return {
    ...here,
    manager: dataOf(cluster).manager,
    transport: 'ssh',
    head: { host, port: SSH_PORT, username: ADMIN_ACCOUNT, key: 'cluster', accounts: 'sudo', binFolder: '' },
  }
}
