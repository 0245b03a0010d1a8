import { countText } from '@flotilla/contract/count-text'
import { cancelAll, configureNodes, shutDown } from '../../../../schedulers/builtin'
import { expandNodes } from '../../../../schedulers/node-list'
import type { NodeInfo } from '../../../../schedulers/scheduler'
import { query, queryUntil } from '../../commands/query'
import type { Connections } from '../../connection/connections'
import type { CloudCluster } from '../../stored-cluster'
import type { MachineKind } from './machines'
import type { PossibleNode } from './possible-nodes'

type Options = {
  connections: Connections
  /** Every node that the cluster can have, whether it is up or not. */
  possible(cluster: CloudCluster): Promise<Pick<PossibleNode, 'name' | 'cores' | 'memory' | 'gpus'>[]>
}

const nothing = async () => {}
const isUp = ({ nativeState }: NodeInfo) => nativeState !== 'REMOVED' && nativeState !== 'OFF'

/** The nodes of the simulated cloud belong to the built-in executor: they really run jobs, on this machine. */
export const makeSimulatedMachines = ({ connections, possible }: Options): MachineKind => ({
  beforeChange: nothing,

  async bringUp(cluster, { machines }, _before, run) {
    const connection = await connections.admin(cluster)
    const all = await possible(cluster)
    const memories = new Map(all.map(({ name, memory }) => [name, memory]))
    /** The node has the capacity of its size, not of this machine. */
    const node = ({ name, cores, gpus }: { name: string; cores: number; gpus: number }) => {
      const memoryMb = Math.round((memories.get(name) ?? 0) * 1024)
      return { name, cores, gpus, ...(memoryMb > 0 && { memoryMb }) }
    }
    const wanted = machines.filter(({ role }) => role === 'node').map(node)
    // Jobs may wait for the other nodes, whether the user or the console brings them up.
    const off = all
      .filter(({ name }) => !wanted.some((one) => one.name === name))
      .map((one) => ({ ...node(one), off: true }))
    await query(connection, configureNodes(connection.scheduler, [...wanted, ...off], connections.fences))
    // A machine that is gone takes its jobs with it.
    const names = new Set(wanted.map(({ name }) => name))
    for (const job of await query(connection, connection.scheduler.queue()))
      if (job.state === 'running' && expandNodes(job.nodeList).some((name) => !names.has(name)))
        await query(connection, connection.scheduler.cancel(job.id))
    run.log(
      `Simulated cloud: ${countText(wanted.length, 'node')} ${wanted.length === 1 ? 'runs' : 'run'} jobs on the console’s own machine`,
    )
    await queryUntil(
      connection,
      connection.scheduler.nodes(),
      (nodes) => nodes.filter(isUp).length === wanted.length,
    )
  },

  maintain: nothing,
  revokeAccess: nothing,

  async shutDown(cluster) {
    const connection = await connections.admin(cluster).catch(() => null)
    if (!connection) return
    await query(connection, cancelAll(connection.scheduler), 5000).catch(() => {})
    await query(connection, shutDown(connection.scheduler), 5000).catch(() =>
      connections.endExecutor(cluster.id),
    )
  },
})
