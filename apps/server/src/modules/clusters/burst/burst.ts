import type { Logger } from 'pino'
import type { AuditSource } from '../../../http/caller'
import { isDatabaseDown } from '../../../db/connection/down'
import type { Database } from '../../../db/database'
import { explain } from '../../../explain'
import { Failure } from '../../../fail'
import type { NodeInfo, QueuedJob } from '../../../schedulers/scheduler'
import { query } from '../commands/query'
import type { ClusterConnection } from '../commands/connection'
import { connectionSettings } from '../connection/settings'
import type { CloudCluster } from '../stored-cluster'
import { isEdited, presentNodes } from '../wanted-nodes'
import { breakersOf, pausedGroups, describePause, type Breakers } from './breaker'
import type { PossibleNode } from '../cloud/machines/possible-nodes'
import { busyNodes, decide } from './decide'
import { OURS, reconcileSlurm } from './slurm'
import * as store from './store'

/** What the poller has just seen of a cluster. */
export type PolledCluster = {
  cluster: CloudCluster
  connection: ClusterConnection
  jobs: QueuedJob[]
  nodes: NodeInfo[]
}

const LEAVING = `${OURS} idle, being removed`
/** A machine that has not joined after this time is no longer expected to. */
const JOIN_MS = 20 * 60_000

type Options = {
  db: Database
  possible(cluster: CloudCluster): Promise<PossibleNode[]>
  /** Starts a run that brings nodes up or removes them. */
  start(cluster: CloudCluster, nodes: string[], up: boolean): Promise<void>
  system: AuditSource
  log: Logger
  now: () => number
}
/** What is remembered of a cluster's nodes between polls; it starts from scratch when the console restarts. */
type Memory = {
  nodes: Map<string, { since: number; joined: boolean; idleSince: number | null }>
  /** Whether we started a run whose outcome has not been logged yet. */
  begun: boolean
  /** The jobs already reported as impossible to serve. */
  unservable: string[]
  /** The error of the last pass. */
  error: string | null
}

/** Brings nodes up for waiting jobs and removes idle ones. Called after each poll. */
export function makeBurst({ db, possible, start, system, log, now }: Options) {
  const memories = new Map<string, Memory>()
  const memoryOf = (id: string): Memory => {
    const memory = memories.get(id) ?? { nodes: new Map(), begun: false, unservable: [], error: null }
    memories.set(id, memory)
    return memory
  }
  const reportUnservable = async (cluster: CloudCluster, unservable: string[]): Promise<void> => {
    const memory = memoryOf(cluster.id)
    const before = memory.unservable
    memory.unservable = unservable
    for (const text of unservable.filter((one) => !before.includes(one)))
      await store.addLogLine(db, cluster, now(), `Not starting nodes: ${text}`)
  }

  const begin = async (
    cluster: CloudCluster,
    nodes: string[],
    up: boolean,
    why: string,
  ): Promise<boolean> => {
    try {
      await start(cluster, nodes, up)
    } catch (error) {
      // Someone else started a run first: the next poll decides again.
      if (error instanceof Failure && (error.code === 'wrong_state' || error.code === 'not_found'))
        return false
      throw error
    }
    memoryOf(cluster.id).begun = true
    const action = up ? 'burst: nodes brought up' : 'burst: nodes removed'
    await store.recordDecision(db, cluster, now(), system, { action, detail: `${nodes.join(', ')} (${why})` })
    return true
  }

  /** Derives the state of the nodes from repeated polls. */
  const watchNodes = ({ cluster, jobs, nodes }: PolledCluster, up: ReadonlySet<string>) => {
    const memory = memoryOf(cluster.id)
    const busy = busyNodes(jobs)
    for (const name of memory.nodes.keys()) if (!up.has(name)) memory.nodes.delete(name)
    for (const name of up) {
      const node = memory.nodes.get(name) ?? { since: now(), joined: false, idleSince: null }
      memory.nodes.set(name, node)
      const state = nodes.find((one) => one.name === name)?.state
      if (state === 'available' || state === 'busy') node.joined = true
      node.idleSince = busy.has(name) ? null : (node.idleSince ?? now())
    }
    const all = [...memory.nodes]
    return {
      coming: new Set(
        all.filter(([, one]) => !one.joined && now() - one.since < JOIN_MS).map(([name]) => name),
      ),
      idleSince: new Map(
        all.flatMap(([name, { idleSince }]) => (idleSince === null ? [] : [[name, idleSince]])),
      ),
    }
  }

  /** A job may have been sent to a node since the poll: drain it first, then check the queue again. */
  const clear = async ({ connection, cluster }: PolledCluster, nodes: string[]): Promise<string[]> => {
    for (const name of nodes) await query(connection, connection.scheduler.drain(name, LEAVING))
    const busy = busyNodes(await query(connection, connection.scheduler.queue()))
    for (const name of nodes.filter((one) => busy.has(one))) {
      await query(connection, connection.scheduler.resume(name))
      await store.addLogLine(db, cluster, now(), `Keeping ${name}: a job has just started on it`)
    }
    return nodes.filter((name) => !busy.has(name))
  }

  /** Scales Torque and the built-in executor, which do not know about nodes that are not up. */
  const scale = async (
    seen: PolledCluster,
    up: ReadonlySet<string>,
    all: PossibleNode[],
    breakers: Breakers,
  ) => {
    const { cluster, connection, jobs, nodes } = seen
    // Nodes that we drained but that are up, still or again.
    const closed = nodes.filter(({ name, state, reason, note }) => {
      return up.has(name) && state === 'offline' && note !== 'not started' && reason.startsWith(OURS)
    })
    for (const { name } of closed) await query(connection, connection.scheduler.resume(name))
    if (closed.length > 0) return
    const decision = decide({
      mode: cluster.info.bursting.mode,
      idlePurgeS: cluster.data.node.idle_purge_s,
      possible: all,
      up,
      jobs,
      nodes,
      paused: pausedGroups(breakers, now()),
      now: now(),
      ...watchNodes(seen, up),
    })
    await reportUnservable(cluster, decision.unservable)
    if (decision.up.length > 0) await begin(cluster, decision.up, true, decision.why)
    else if (decision.down.length > 0 && now() >= (breakers.down?.retryAt ?? 0)) {
      const free = await clear(seen, decision.down)
      if (free.length > 0) await begin(cluster, free, false, decision.why)
    }
  }

  const reconcile = async (seen: PolledCluster): Promise<void> => {
    const { cluster } = seen
    const { deployed } = cluster
    const { mode } = cluster.info.bursting
    if (!deployed || cluster.state !== 'available') return
    const runs = await store.pastRuns(db.kysely, cluster)
    const memory = memoryOf(cluster.id)
    const [last] = runs
    if (memory.begun && last) {
      memory.begun = false
      await store.addLogLine(db, cluster, now(), outcome(last), last.cause === null ? 'info' : 'error')
    }
    const all = await possible(cluster)
    const groups = new Map(all.map(({ name, group }) => [name, group]))
    const breakers = breakersOf(runs, (name) => groups.get(name))
    const edited = isEdited(cluster)
    const pause = edited
      ? 'The cluster was edited: automatic bursting resumes when the changes are applied'
      : describePause(breakers, now())
    const paused = mode === 'off' ? null : pause
    if (paused !== cluster.burst_paused) await store.setPaused(db, cluster, now(), paused)
    // Bringing a node up now would also apply the edit, which no one has requested yet.
    if (mode === 'off' || edited) return
    const up = new Set(presentNodes(deployed))
    const incomplete = cluster.up_nodes.filter((name) => !up.has(name))
    if (last?.byConsole && last.cause !== null && last.action === 'deployNode' && incomplete.length > 0) {
      await begin(cluster, incomplete, false, 'they did not fully start')
      return
    }
    if (connectionSettings(cluster).manager === 'slurm')
      await reconcileSlurm({
        seen,
        mode,
        up,
        groups,
        breakers,
        begin: (nodes, coming, why) => begin(cluster, nodes, coming, why),
        log: (text) => store.addLogLine(db, cluster, now(), text),
        now: now(),
      })
    else await scale(seen, up, all, breakers)
  }

  return {
    /** Never fails: a problem here does not mean that the cluster is at fault. */
    async reconcile(seen: PolledCluster): Promise<void> {
      const { cluster } = seen
      const memory = memoryOf(cluster.id)
      try {
        await reconcile(seen)
        memory.error = null
      } catch (error) {
        const reason = explain(error)
        log.warn({ cluster: cluster.id, reason }, 'nodes could not be brought up or removed')
        if (isDatabaseDown(error) || memory.error === reason) return
        memory.error = reason
        const text = `Could not manage the nodes: ${reason}`
        await store.addLogLine(db, cluster, now(), text, 'error').catch(() => {})
      }
    },
  }
}

function outcome({ action, nodes, cause }: store.PastRun): string {
  const names = nodes.join(', ')
  if (cause !== null) return `Failed for ${names}: ${cause}`
  return `${names} ${nodes.length === 1 ? 'is' : 'are'} ${action === 'deployNode' ? 'up' : 'gone'}`
}
