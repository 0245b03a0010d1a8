import { countText } from '@flotilla/contract/count-text'
import type { NodeInfo } from '../../../../schedulers/scheduler'
import type { Snapshots } from '../../../snapshots/snapshots'
import type { ClusterConnection } from '../../commands/connection'
import { query } from '../../commands/query'
import type { Connections } from '../../connection/connections'
import { forPlatform } from '../../connection/platform'
import type { RunContext } from '../../../runs/runs'
import type { CloudCluster, Deployed } from '../../stored-cluster'
import { machinesOf } from '../../wanted-nodes'

/** A node whose machine is stopped. */
const OFF: Omit<NodeInfo, 'name' | 'cores' | 'gpus'> = {
  state: 'offline',
  nativeState: 'OFF',
  note: 'stopped',
  coresUsed: 0,
  gpusUsed: 0,
  memoryMb: 0,
  partitions: [],
  reason: '',
}

/** Operations on one kind of machines: those of a cloud, or those of the simulated cloud. */
export interface MachineKind {
  /** Called before the engine changes what exists. */
  beforeChange(cluster: CloudCluster, deployed: Deployed, run: RunContext): Promise<void>
  /** Turns running machines into nodes that accept jobs. `before` is what existed before, null the first time. */
  bringUp(cluster: CloudCluster, deployed: Deployed, before: Deployed | null, run: RunContext): Promise<void>
  /** Applies changes that need no run. Never fails: it is retried. */
  maintain(cluster: CloudCluster, deployed: Deployed, connection: ClusterConnection): Promise<void>
  /** Revokes the access of users who may no longer use the cluster. */
  revokeAccess(cluster: CloudCluster, deployed: Deployed): Promise<void>
  /** Called before the machines are stopped, or after they are gone. */
  shutDown(cluster: CloudCluster): Promise<void>
}

type Options = {
  connections: Connections
  real: MachineKind
  simulated: MachineKind
  /** Forgets what was applied to machines that are gone. */
  forgetMachines(clusterId: string): Promise<void>
  snapshots: Snapshots
  /** Called when the cluster's jobs are no longer watched: their outcome will not be known. */
  onDetached(clusterId: string): Promise<void>
}

export type Machines = ReturnType<typeof makeMachines>
/** The machines of clusters in clouds, of either kind. */
export function makeMachines({
  connections,
  real,
  simulated,
  forgetMachines,
  snapshots,
  onDetached,
}: Options) {
  const kindOf = (deployed: Deployed): MachineKind => forPlatform(deployed, { real, simulated })

  return {
    async beforeChange(cluster: CloudCluster, run: RunContext): Promise<void> {
      const deployed = machinesOf(cluster)
      if (deployed) await kindOf(deployed).beforeChange(cluster, deployed, run)
    },

    async waitUntilReady(
      cluster: CloudCluster,
      deployed: Deployed,
      before: Deployed | null,
      run: RunContext,
    ): Promise<void> {
      // People's terminals stay open while nodes come and go.
      if (headId(before) !== headId(deployed)) await connections.reset(cluster.id)
      await kindOf(deployed).bringUp(cluster, deployed, before, run)
      const connection = await connections.admin(cluster)
      const jobs = await query(connection, connection.scheduler.queue())
      const nodes = await query(connection, connection.scheduler.nodes())
      run.log(`The resource manager responded: ${countText(nodes.length, 'node')}`)
      await snapshots.replace(cluster.id, jobs, nodes)
    },

    async maintain({
      cluster,
      connection,
    }: {
      cluster: CloudCluster
      connection: ClusterConnection
    }): Promise<void> {
      const { deployed, state } = cluster
      if (deployed && state === 'available') await kindOf(deployed).maintain(cluster, deployed, connection)
    },

    async revokeAccess(cluster: CloudCluster): Promise<void> {
      if (cluster.deployed) await kindOf(cluster.deployed).revokeAccess(cluster, cluster.deployed)
    },

    /** The machines are stopped: their nodes exist but are off. */
    async markStopped({ id, deployed }: CloudCluster): Promise<void> {
      const nodes = (deployed?.machines ?? [])
        .filter(({ role }) => role === 'node')
        .map(({ name, cores, gpus }) => ({ ...OFF, name, cores, gpus }))
      await snapshots.replace(id, [], nodes)
    },

    /** The machines are gone, or about to be stopped. */
    async release(cluster: CloudCluster): Promise<void> {
      if (cluster.deployed) await kindOf(cluster.deployed).shutDown(cluster)
      await connections.reset(cluster.id)
      await onDetached(cluster.id)
      await snapshots.replace(cluster.id, [], [])
    },

    /** The machines are gone for good, and so is what was known of them. */
    forget: ({ id }: CloudCluster): Promise<void> => forgetMachines(id),
  }
}

const headId = (deployed: Deployed | null): string | undefined =>
  deployed?.machines.find(({ role }) => role === 'head')?.id
