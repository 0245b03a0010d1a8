import type { LogLevel } from '@flotilla/contract/clusters/entity'
import { coresText, countText } from '@flotilla/contract/count-text'
import { setTimeout as sleep } from 'node:timers/promises'
import { cancelAll, configureNodes, shutDown, type VirtualNode } from '../../../schedulers/builtin'
import type { NodeInfo, QueuedJob } from '../../../schedulers/scheduler'
import type { Database } from '../../../db/database'
import { explain } from '../../../explain'
import type { Snapshots } from '../../snapshots/snapshots'
import { ask } from '../connection/query'
import type { Connections } from '../connection/connections'
import type { Reach } from '../connection/connection'
import type { Step } from './runs'
import * as store from '../store'
import { connectionSettings } from '../connection/settings'

/** By this we know the nodes again that we took out of service ourselves. */
const STOPPED = 'cluster stopped in the console'
const SETTLE_MS = 15_000
const FORCED_MS = 5000

type Log = (text: string, level?: LogLevel) => Promise<void>
type LocalStep = (cluster: store.FoundCluster, log: Log) => Promise<void>
type LocalAction = 'deploy' | 'stop' | 'start' | 'destroy' | 'forceDestroy' | 'update'

type Options = {
  db: Database
  connections: Connections
  snapshots: Snapshots
  /** What becomes of submissions: as the queue says, or that nobody will know any more. */
  onQueue(clusterId: string, jobs: QueuedJob[]): Promise<unknown>
  onDetached(clusterId: string): Promise<void>
}

const virtualNodes = (cluster: store.FoundCluster): VirtualNode[] | null => {
  const { manager, virtualNodes: nodes } = connectionSettings(cluster)
  if (manager !== 'none' || !nodes) return null
  const { prefix, count, cores, gpus } = nodes
  return Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index + 1}`, cores, gpus }))
}

const isSetUp = (nodes: NodeInfo[], wanted: VirtualNode[]): boolean =>
  nodes.length === wanted.length &&
  wanted.every((one) =>
    nodes.some(({ name, cores, gpus }) => name === one.name && cores === one.cores && gpus === one.gpus),
  )

/** Asks again until what came back is right, as the executor writes down a little later what it was told. */
async function eventually<T>(question: () => Promise<T>, isRight: (answer: T) => boolean): Promise<T> {
  for (const until = Date.now() + SETTLE_MS; ;) {
    const answer = await question()
    if (isRight(answer) || Date.now() > until) return answer
    await sleep(100)
  }
}

/** What is done at each action. Each may be done twice. */
export function makeLocalSteps(options: Options): Record<LocalAction, Step> {
  const local = localSteps(options)
  const step =
    (action: LocalAction): Step =>
    (cluster, { log }) =>
      local[action](cluster, log)
  return {
    deploy: step('deploy'),
    stop: step('stop'),
    start: step('start'),
    destroy: step('destroy'),
    forceDestroy: step('forceDestroy'),
    update: step('update'),
  }
}

function localSteps({
  db,
  connections,
  snapshots,
  onQueue,
  onDetached,
}: Options): Record<LocalAction, LocalStep> {
  const nodesOf = (reach: Reach) => ask(reach, reach.scheduler.nodes())

  const attach: LocalStep = async (cluster, log) => {
    const { head } = connectionSettings(cluster)
    await log(head ? `Connecting to ${head.host} as ${head.username}` : 'Using this machine')
    const reach = await connections.admin(cluster)
    const wanted = virtualNodes(cluster)
    if (wanted) {
      const [first] = wanted
      await log(
        `Setting up ${countText(wanted.length, 'virtual node')}${first ? ` with ${coresText(first)}${wanted.length === 1 ? '' : ' each'}` : ''}`,
      )
      await ask(reach, configureNodes(reach.scheduler, wanted, connections.fences))
    }
    await log('Asking the resource manager for its nodes')
    const nodes = await eventually(
      () => nodesOf(reach),
      (found) => !wanted || isSetUp(found, wanted),
    )
    if (wanted && !isSetUp(nodes, wanted)) throw new Error('The executor has not set up its nodes in time')
    await log(
      `Found ${countText(nodes.length, 'node')} with ${countText(
        nodes.reduce((sum, node) => sum + node.cores, 0),
        'core',
      )}`,
    )
    await log('Asking the resource manager for its queue')
    const jobs = await ask(reach, reach.scheduler.queue())
    await log(`Found ${countText(jobs.length, 'job')}`)
    await snapshots.replace(cluster.id, jobs, nodes)
  }

  const resumeOurs = async (reach: Reach, log: Log): Promise<void> => {
    for (const node of (await nodesOf(reach)).filter(({ reason }) => reason.includes(STOPPED))) {
      await ask(reach, reach.scheduler.resume(node.name))
      await log(`${node.name} takes jobs again`)
    }
  }

  /** Ends everything on the executor, and it itself. */
  const endExecutor = async (cluster: store.FoundCluster, log: Log, timeoutMs?: number): Promise<void> => {
    const reach = await connections.admin(cluster)
    const underWay = (jobs: QueuedJob[]) => jobs.filter(({ state }) => state !== 'completed')
    const queue = () => ask(reach, reach.scheduler.queue(), timeoutMs)
    const waiting = underWay(await queue())
    if (waiting.length > 0) {
      await ask(reach, cancelAll(reach.scheduler), timeoutMs)
      await log(`Canceling ${countText(waiting.length, 'job')}`)
    }
    const jobs = await eventually(queue, (found) => underWay(found).length === 0)
    if (underWay(jobs).length > 0) throw new Error('Some jobs do not end: try again, or force it')
    await onQueue(cluster.id, jobs)
    await ask(reach, shutDown(reach.scheduler), timeoutMs)
    await log('The executor has stopped')
  }

  /** Nothing of it is left here but its record. */
  const forget = async (cluster: store.FoundCluster): Promise<void> => {
    await connections.reset(cluster.id)
    await onDetached(cluster.id)
    if (connectionSettings(cluster).manager === 'none') await connections.removeSpool(cluster.id)
    await snapshots.replace(cluster.id, [], [])
    // The machine may be another one when it is attached again.
    const nothing = { host_key: null, polled_at: null, poll_error: null, poll_error_since: null }
    await store.update(db.kysely, cluster.id, nothing)
  }

  return {
    update: attach,
    async deploy(cluster, log) {
      await connections.reset(cluster.id)
      await attach(cluster, log)
      await resumeOurs(await connections.admin(cluster), log)
    },
    async stop(cluster, log) {
      const reach = await connections.admin(cluster)
      for (const node of (await nodesOf(reach)).filter(({ state }) => state !== 'offline')) {
        await ask(reach, reach.scheduler.drain(node.name, STOPPED))
        await log(`${node.name} takes no new jobs`)
      }
    },
    async start(cluster, log) {
      await resumeOurs(await connections.admin(cluster), log)
    },
    async destroy(cluster, log) {
      if (virtualNodes(cluster)) await endExecutor(cluster, log)
      else {
        // A site's machines must not stay out of service because of us; but one that is away can be detached too.
        await connections
          .admin(cluster)
          .then((reach) => resumeOurs(reach, log))
          .catch((error: unknown) => log(`Its nodes could not be reached: ${explain(error)}`, 'warning'))
        await log('Detached: the machines and their jobs are left as they are')
      }
      await forget(cluster)
    },
    async forceDestroy(cluster, log) {
      if (virtualNodes(cluster))
        await endExecutor(cluster, log, FORCED_MS).catch(async (error: unknown) => {
          await log(`The executor did not stop in order: ${explain(error)}`, 'warning')
          const count = await connections.endExecutor(cluster.id)
          await log(`Ended ${count} of its processes`)
        })
      await log('Forgetting the cluster')
      await forget(cluster)
    },
  }
}
