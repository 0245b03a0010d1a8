import { setTimeout as sleep } from 'node:timers/promises'
import type { Connections, Reach } from '../connections'
import { ask } from '../ask'
import type { RunContext } from '../runs'
import type { FoundCluster } from '../store'
import { cancelAll, configureNodes, shutDown } from '../../../schedulers/builtin'
import { expandNodes } from '../../../schedulers/node-list'
import type { NodeInfo } from '../../../schedulers/scheduler'
import type { Snapshots } from '../../snapshots/snapshots'
import type { Deployed } from './stored'
import { awaitMachines } from './machines'

const SETTLE_MS = 15_000

type Options = {
  connections: Connections
  snapshots: Snapshots
  /** The jobs there were are not known any more. */
  onDetached(clusterId: string): Promise<void>
}

export type Ready = ReturnType<typeof makeReady>
/** From machines that run to a cluster that takes jobs. */
export function makeReady({ connections, snapshots, onDetached }: Options) {
  /** The nodes of the simulated cloud are the built-in executor's: they really run jobs, on this machine. */
  const simulated = async (cluster: FoundCluster, { machines }: Deployed, run: RunContext): Promise<void> => {
    const reach = await connections.admin(cluster)
    const wanted = machines
      .filter(({ role }) => role === 'node')
      .map(({ name, cores, gpus }) => ({ name, cores, gpus }))
    await ask(reach, configureNodes(reach.scheduler, wanted, connections.fences))
    // A machine that is gone takes its jobs with it.
    const names = new Set(wanted.map(({ name }) => name))
    for (const job of await ask(reach, reach.scheduler.queue()))
      if (job.state === 'running' && expandNodes(job.nodeList).some((name) => !names.has(name)))
        await ask(reach, reach.scheduler.cancel(job.id))
    run.say(`Simulated cloud: ${wanted.length} nodes run jobs on the console's own machine`)
  }

  /** The resource manager shows its nodes a moment after it was told of them. */
  const nodesOf = async (reach: Reach, count: number): Promise<NodeInfo[]> => {
    for (const until = Date.now() + SETTLE_MS; ;) {
      const nodes = await ask(reach, reach.scheduler.nodes())
      if (nodes.filter(({ nativeState }) => nativeState !== 'REMOVED').length === count || Date.now() > until)
        return nodes
      await sleep(100)
    }
  }

  return {
    async await(cluster: FoundCluster, deployed: Deployed, run: RunContext): Promise<void> {
      await connections.reset(cluster.id)
      if (deployed.simulated) await simulated(cluster, deployed, run)
      else await awaitMachines(() => connections.admin(cluster), deployed, run)
      const reach = await connections.admin(cluster)
      const jobs = await ask(reach, reach.scheduler.queue())
      const count = deployed.machines.filter(({ role }) => role === 'node').length
      const nodes = deployed.simulated
        ? await nodesOf(reach, count)
        : await ask(reach, reach.scheduler.nodes())
      run.say(`The resource manager answers: ${nodes.length} nodes`)
      await snapshots.replace(cluster.id, jobs, nodes)
    },

    /** The machines are gone, or stand still. */
    async forget(cluster: FoundCluster): Promise<void> {
      if (cluster.deployed !== null) {
        const reach = await connections.admin(cluster).catch(() => null)
        if (reach && isExecutor(cluster)) {
          await ask(reach, cancelAll(reach.scheduler), 5000).catch(() => {})
          await ask(reach, shutDown(reach.scheduler), 5000).catch(() => connections.endExecutor(cluster.id))
        }
      }
      await connections.reset(cluster.id)
      await onDetached(cluster.id)
      await snapshots.replace(cluster.id, [], [])
    },
  }
}
const isExecutor = (cluster: FoundCluster) => (cluster.deployed as Deployed | null)?.simulated === true
