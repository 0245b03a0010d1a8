import type { LogLevel } from '@flotilla/contract/clusters/entity'
import { coresText, countText } from '@flotilla/contract/count-text'
import { cancelAll, configureNodes, shutDown, type VirtualNode } from '../../../schedulers/builtin'
import type { NodeInfo, QueuedJob } from '../../../schedulers/scheduler'
import type { Database } from '../../../db/database'
import { explain } from '../../../explain'
import type { RunContext } from '../../runs/runs'
import type { Snapshots } from '../../snapshots/snapshots'
import { query, queryUntil } from '../commands/query'
import type { Connections } from '../connection/connections'
import type { ClusterConnection } from '../commands/connection'
import * as store from '../store'
import type { AttachedCluster } from '../stored-cluster'
import { connectionSettings } from '../connection/settings'

/** Marks the nodes that we drained ourselves. */
const STOPPED = 'cluster stopped in the console'
const FORCED_MS = 5000

type Log = (text: string, level?: LogLevel) => Promise<void>
type Step = (cluster: AttachedCluster, run: Pick<RunContext, 'logNow'>) => Promise<void>
type AttachedAction = 'deploy' | 'stop' | 'start' | 'destroy' | 'forceDestroy' | 'update'

type Options = {
  db: Database
  connections: Connections
  snapshots: Snapshots
  /** Updates the submissions: to their state in the queue, or to unknown from now on. */
  onQueue(clusterId: string, jobs: QueuedJob[]): Promise<unknown>
  onDetached(clusterId: string): Promise<void>
}

const virtualNodes = (cluster: AttachedCluster): VirtualNode[] | null => {
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

/** The steps of each action. All are idempotent. */
export function makeAttachedSteps({
  db,
  connections,
  snapshots,
  onQueue,
  onDetached,
}: Options): Record<AttachedAction, Step> {
  const nodesOf = (connection: ClusterConnection) => query(connection, connection.scheduler.nodes())

  const attach: Step = async (cluster, { logNow }) => {
    const { head } = connectionSettings(cluster)
    await logNow(head ? `Connecting to ${head.host} as ${head.username}` : 'Using this machine')
    const connection = await connections.admin(cluster)
    const wanted = virtualNodes(cluster)
    if (wanted) {
      const [first] = wanted
      await logNow(
        `Setting up ${countText(wanted.length, 'virtual node')}${first ? ` with ${coresText(first)}${wanted.length === 1 ? '' : ' each'}` : ''}`,
      )
      await query(connection, configureNodes(connection.scheduler, wanted, connections.fences))
    }
    await logNow('Querying the resource manager for nodes')
    const nodes = await queryUntil(
      connection,
      connection.scheduler.nodes(),
      (found) => !wanted || isSetUp(found, wanted),
    )
    if (wanted && !isSetUp(nodes, wanted)) throw new Error('The executor did not set up its nodes in time')
    await logNow(
      `Found ${countText(nodes.length, 'node')} with ${countText(
        nodes.reduce((sum, node) => sum + node.cores, 0),
        'core',
      )}`,
    )
    await logNow('Querying the resource manager’s queue')
    const jobs = await query(connection, connection.scheduler.queue())
    await logNow(`Found ${countText(jobs.length, 'job')}`)
    await snapshots.replace(cluster.id, jobs, nodes)
  }

  const resumeOurs = async (connection: ClusterConnection, logNow: Log): Promise<void> => {
    for (const node of (await nodesOf(connection)).filter(({ reason }) => reason.includes(STOPPED))) {
      await query(connection, connection.scheduler.resume(node.name))
      await logNow(`${node.name} accepts jobs again`)
    }
  }

  /** Ends everything on the executor, and then the executor itself. */
  const endExecutor = async (cluster: AttachedCluster, logNow: Log, timeoutMs?: number): Promise<void> => {
    const connection = await connections.admin(cluster)
    const unfinished = (jobs: QueuedJob[]) => jobs.filter(({ state }) => state !== 'completed')
    const queue = connection.scheduler.queue()
    const waiting = unfinished(await query(connection, queue, timeoutMs))
    if (waiting.length > 0) {
      await query(connection, cancelAll(connection.scheduler), timeoutMs)
      await logNow(`Canceling ${countText(waiting.length, 'job')}`)
    }
    const jobs = await queryUntil(connection, queue, (found) => unfinished(found).length === 0, timeoutMs)
    if (unfinished(jobs).length > 0)
      throw new Error('Some jobs did not end: try again, or force destroy the cluster')
    await onQueue(cluster.id, jobs)
    await query(connection, shutDown(connection.scheduler), timeoutMs)
    await logNow('The executor has stopped')
  }

  /** Forgets everything about the cluster but its record. */
  const forget = async (cluster: AttachedCluster): Promise<void> => {
    await connections.reset(cluster.id)
    await onDetached(cluster.id)
    if (connectionSettings(cluster).manager === 'none') await connections.removeSpool(cluster.id)
    await snapshots.replace(cluster.id, [], [])
    // It may be a different machine when it is attached again.
    const unseen = { polled_at: null, poll_error: null, poll_error_since: null, hidden_jobs: null }
    await store.update(db.kysely, cluster.id, { host_key: null, ...unseen })
  }

  return {
    update: attach,
    async deploy(cluster, run) {
      await connections.reset(cluster.id)
      await attach(cluster, run)
      await resumeOurs(await connections.admin(cluster), run.logNow)
    },
    async stop(cluster, { logNow }) {
      const connection = await connections.admin(cluster)
      const { scheduler } = connection
      const drained: string[] = []
      try {
        for (const { name } of (await nodesOf(connection)).filter(({ state }) => state !== 'offline')) {
          await query(connection, scheduler.drain(name, STOPPED))
          drained.push(name)
          await logNow(`${name} no longer accepts new jobs`)
        }
      } catch (error) {
        // A partly stopped cluster would be neither stopped nor available.
        for (const name of drained)
          await query(connection, scheduler.resume(name)).then(
            () => logNow(`${name} accepts jobs again`),
            (why: unknown) => logNow(`${name} stays drained: ${explain(why)}`, 'warning'),
          )
        throw error
      }
    },
    async start(cluster, { logNow }) {
      await resumeOurs(await connections.admin(cluster), logNow)
    },
    async destroy(cluster, { logNow }) {
      if (virtualNodes(cluster)) await endExecutor(cluster, logNow)
      else {
        // A site's machines must not stay drained because of us, but an unreachable cluster can be detached too.
        await connections
          .admin(cluster)
          .then((connection) => resumeOurs(connection, logNow))
          .catch((error: unknown) => logNow(`Could not connect to its nodes: ${explain(error)}`, 'warning'))
        await logNow('Detached: the machines and their jobs are left as they are')
      }
      await forget(cluster)
    },
    async forceDestroy(cluster, { logNow }) {
      if (virtualNodes(cluster))
        await endExecutor(cluster, logNow, FORCED_MS).catch(async (error: unknown) => {
          await logNow(`The executor did not stop cleanly: ${explain(error)}`, 'warning')
          const count = await connections.endExecutor(cluster.id)
          await logNow(`Killed ${count} of its processes`)
        })
      await logNow('Resetting the cluster')
      await forget(cluster)
    },
  }
}
