import { countText } from '@flotilla/contract/count-text'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connections } from '../../connection/connections'
import type { Reach } from '../../commands/connection'
import { ask } from '../../commands/query'
import type { RunContext } from '../../runs/runs'
import type { FoundCluster } from '../../store'
import { cancelAll, configureNodes, shutDown } from '../../../../schedulers/builtin'
import { expandNodes } from '../../../../schedulers/node-list'
import type { NodeInfo } from '../../../../schedulers/scheduler'
import type { Snapshots } from '../../../snapshots/snapshots'
import { deployedOf, type Deployed } from '../../wanted-nodes'
import { awaitMachines } from './await-head-node'
import type { Settling } from './reconcile'

const SETTLE_MS = 15_000
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

type Options = {
  connections: Connections
  /** Every node that the cluster may have, whether it is up or not. */
  possible(cluster: FoundCluster): Promise<{ name: string; cores: number; gpus: number }[]>
  settling: Settling
  snapshots: Snapshots
  /** The jobs there were are not known any more. */
  onDetached(clusterId: string): Promise<void>
}

export type Ready = ReturnType<typeof makeReady>
/** From machines that run to a cluster that takes jobs. */
export function makeReady({ connections, possible, settling, snapshots, onDetached }: Options) {
  /** The nodes of the simulated cloud are the built-in executor's: they really run jobs, on this machine. */
  const simulated = async (cluster: FoundCluster, { machines }: Deployed, run: RunContext): Promise<void> => {
    const reach = await connections.admin(cluster)
    const wanted = machines
      .filter(({ role }) => role === 'node')
      .map(({ name, cores, gpus }) => ({ name, cores, gpus }))
    // Jobs may wait for the others, whoever brings them up.
    const off = (await possible(cluster))
      .filter(({ name }) => !wanted.some((one) => one.name === name))
      .map(({ name, cores, gpus }) => ({ name, cores, gpus, off: true }))
    await ask(reach, configureNodes(reach.scheduler, [...wanted, ...off], connections.fences))
    // A machine that is gone takes its jobs with it.
    const names = new Set(wanted.map(({ name }) => name))
    for (const job of await ask(reach, reach.scheduler.queue()))
      if (job.state === 'running' && expandNodes(job.nodeList).some((name) => !names.has(name)))
        await ask(reach, reach.scheduler.cancel(job.id))
    run.say(
      `Simulated cloud: ${countText(wanted.length, 'node')} ${wanted.length === 1 ? 'runs' : 'run'} jobs on the console's own machine`,
    )
  }

  /** The resource manager shows its nodes a moment after it was told of them. */
  const nodesOf = async (reach: Reach, count: number): Promise<NodeInfo[]> => {
    const isUp = ({ nativeState }: NodeInfo) => nativeState !== 'REMOVED' && nativeState !== 'OFF'
    for (const until = Date.now() + SETTLE_MS; ;) {
      const nodes = await ask(reach, reach.scheduler.nodes())
      if (nodes.filter(isUp).length === count || Date.now() > until) return nodes
      await sleep(100)
    }
  }

  return {
    /** `before` is what there was, and null at the first time. */
    async await(
      cluster: FoundCluster,
      deployed: Deployed,
      before: Deployed | null,
      run: RunContext,
    ): Promise<void> {
      // Terminals of people stay open while nodes come and go.
      if (headOf(before) !== headOf(deployed)) await connections.reset(cluster.id)
      if (deployed.simulated) await simulated(cluster, deployed, run)
      else await awaitMachines(() => connections.admin(cluster), deployed, run)
      const reach = await connections.admin(cluster)
      if (!deployed.simulated) await settling.after(cluster, before, reach, run.say)
      const jobs = await ask(reach, reach.scheduler.queue())
      const count = deployed.machines.filter(({ role }) => role === 'node').length
      const nodes = deployed.simulated
        ? await nodesOf(reach, count)
        : await ask(reach, reach.scheduler.nodes())
      run.say(`The resource manager answers: ${countText(nodes.length, 'node')}`)
      await snapshots.replace(cluster.id, jobs, nodes)
    },

    /** Before the engine changes what is there. */
    before: (cluster: FoundCluster, run: RunContext): Promise<void> =>
      settling.before(cluster, () => connections.admin(cluster), run.say),

    /** The machines are gone for good. */
    forgetMachines: (cluster: FoundCluster) => settling.forget(cluster.id),

    /** The machines stand still: their nodes are there, and off. */
    async still(cluster: FoundCluster): Promise<void> {
      const machines = deployedOf(cluster)?.machines ?? []
      const nodes = machines
        .filter(({ role }) => role === 'node')
        .map(({ name, cores, gpus }) => ({ ...OFF, name, cores, gpus }))
      await snapshots.replace(cluster.id, [], nodes)
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
const headOf = (deployed: Deployed | null): string | undefined =>
  deployed?.machines.find(({ role }) => role === 'head')?.id
const isExecutor = (cluster: FoundCluster) => (cluster.deployed as Deployed | null)?.simulated === true
