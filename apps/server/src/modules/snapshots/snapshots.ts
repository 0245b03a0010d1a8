import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import type { LoadAverage } from '@flotilla/contract/clusters/entity'
import { ClusterNode, QueuedJob, type TableQuery } from '@flotilla/contract/clusters/tables'
import type { Database } from '../../db/database'
import { isJobOf, type JobOwner } from '../../db/job-owners'
import { fail } from '../../fail'
import { notifyChange } from '../../live/live'
import { countNodes, countQueue } from '../../schedulers/counts'
import { ownedNumber } from '../../schedulers/scheduler'
import type * as scheduler from '../../schedulers/scheduler'
import { keepPositions } from './positions'
import * as pages from './pages/store'
import * as store from './store'
import { nodeColumns, queueColumns } from './table-columns'
import { asNode, asQueuedJob, type Link } from './view'

const HISTORY_MS = 7 * 24 * 60 * 60_000
/** More points could not be distinguished in a small chart. */
const CHART_POINTS = 60
/** One point per four minutes of a week: the chart shows a gap only after five minutes without a point. */
const LARGE_CHART_POINTS = 2520
const LOAD_EVERY_MS = 60_000

const largest = (nodes: scheduler.NodeInfo[]) => ({
  cores: nodes.reduce((most, node) => Math.max(most, node.cores), 0),
  gpus: nodes.reduce((most, node) => Math.max(most, node.gpus), 0),
})
const together = (nodes: scheduler.NodeInfo[]) => ({
  cores: nodes.reduce((sum, node) => sum + node.cores, 0),
  gpus: nodes.reduce((sum, node) => sum + node.gpus, 0),
})

type QueueViewer = JobOwner & { admin: boolean; ownOnly: boolean }

type Data = ClusterNode | QueuedJob
type Kept = { position: number; data: Data | undefined }
type Given = { key: string; data: Data }
type Seen = { nodes: Map<string, Kept>; queue: Map<string, Kept>; loadAt: number; failing: boolean }
type Poll = {
  jobs: scheduler.QueuedJob[]
  /** Null if only the queue was queried. */
  nodes: scheduler.NodeInfo[] | null
  /** The submissions of this console among them, by account and job number. */
  links: Map<string, Link>
  /** Writes nothing if the cluster was detached in the meantime. */
  onlyInUse?: boolean
}

const kept = (rows: (Kept & { key: string })[]): Map<string, Kept> =>
  new Map(rows.map((row) => [row.key, row]))

/** Called for thousands of rows twice a second, most of them unchanged, so it avoids serializing them. */
const isSame = (a: Data, b: Data): boolean =>
  Object.keys(a).every((name) => {
    const [one, other]: unknown[] = [Reflect.get(a, name), Reflect.get(b, name)]
    return one === other || (Array.isArray(one) && isDeepStrictEqual(one, other))
  })

class Detached extends Error {}

export type Snapshots = ReturnType<typeof makeSnapshots>
const asLoad = (row: { cluster_id: string; time: Date; cpus: number; load_avg: number }) => ({
  cluster_id: row.cluster_id,
  cpus: row.cpus,
  loadAvg: row.load_avg,
  time: row.time.getTime(),
})

/**
 * The last known state of every cluster. Only differences are written to the database, and reads cost the same for
 * every user.
 */
export function makeSnapshots(db: Database, now: () => number) {
  const within = (since: number) => new Date(Math.max(now() - HISTORY_MS, Math.min(since, now())))
  // The rows in the tables, to compare with. Read once after a start.
  const seen = new Map<string, Seen>()
  const before = async (clusterId: string): Promise<Seen> => {
    const known = seen.get(clusterId)
    if (known) return known
    const [nodes, queue] = await Promise.all([
      store.all(db.kysely, 'nodes', clusterId),
      store.all(db.kysely, 'queue', clusterId),
    ])
    // A row that cannot be parsed differs from any new one, so it is rewritten or removed.
    const parsed = (rows: store.Row[], schema: z.ZodMiniType<Data>) =>
      kept(rows.map((row) => ({ ...row, data: schema.safeParse(row.data).data })))
    const found = {
      nodes: parsed(nodes, ClusterNode),
      queue: parsed(queue, QueuedJob),
      loadAt: 0,
      failing: true,
    }
    seen.set(clusterId, found)
    return found
  }

  /** The rows that are new, changed or removed. Of two rows with the same key the last one counts. */
  const difference = (which: pages.SnapshotTable, old: Map<string, Kept>, given: Given[]) => {
    const unique = [...new Map(given.map((row) => [row.key, row])).values()]
    // Nodes are ordered by name.
    const positions = which === 'queue' ? keepPositions(unique.map(({ key }) => old.get(key)?.position)) : []
    const rows = unique.map((row, index) => ({ ...row, position: positions[index] ?? 0 }))
    const all = kept(rows)
    const changed = rows.filter(({ key, position, data }) => {
      const last = old.get(key)
      return last?.data === undefined || position !== last.position || !isSame(data, last.data)
    })
    const removed = [...old.keys()].filter((key) => !all.has(key))
    return { which, all, changed, removed, any: changed.length > 0 || removed.length > 0 }
  }

  /** Jobs contain the ids of their submissions, which only their users need to know. */
  const asSeenBy = async (viewer: QueueViewer, jobs: QueuedJob[]): Promise<QueuedJob[]> => {
    if (viewer.admin) return jobs
    const ids = jobs.flatMap(({ submissionId }) => submissionId ?? [])
    const theirs = new Set(await store.submissionsOf(db.kysely, viewer.id, ids))
    return jobs.map((job) =>
      job.submissionId === null || theirs.has(job.submissionId)
        ? job
        : { ...job, submissionId: null, jobId: null },
    )
  }

  /** Saves what changed and notifies viewers. Returns whether anything changed. */
  const save = async (
    clusterId: string,
    { jobs, nodes, links, onlyInUse = false }: Poll,
  ): Promise<boolean> => {
    const old = await before(clusterId)
    const at = new Date(now())
    const claimedBy = new Map<string, string>()
    const queueRows = jobs.map((job) => {
      const reporter = job.reportedBy ?? job.user
      const first = claimedBy.get(job.id) ?? reporter
      claimedBy.set(job.id, first)
      // Spaces are escaped, so that no id equals the key of a job that another user reported.
      const own = job.id.replace(/[% ]/g, encodeURIComponent)
      const key = first === reporter ? own : `${own} ${reporter}`
      return { key, data: asQueuedJob(job, links.get(ownedNumber(job))) }
    })
    const queue = difference('queue', old.queue, queueRows)
    const nodeRows = nodes?.map((node) => ({ key: node.name, data: asNode(node) }))
    const changedNodes = nodeRows ? difference('nodes', old.nodes, nodeRows) : null
    const withLoad = nodes !== null && nodes.length > 0 && at.getTime() - old.loadAt > LOAD_EVERY_MS
    const news = [queue, changedNodes].filter((one) => one?.any)
    // Most polls find nothing new, and there are many of them, so only the time is saved.
    if (news.length === 0 && !old.failing && !withLoad && onlyInUse) {
      await store.touchPolled(db, clusterId, at)
      return false
    }
    try {
      return await db.transaction(async (tx) => {
        for (const one of news) if (one) await store.write(tx, one.which, clusterId, one.changed, one.removed)
        const polled = await store.setPolled(tx, clusterId, onlyInUse, {
          polled_at: at,
          ...(queue.any && { queue_counts: JSON.stringify(countQueue(jobs)) }),
          ...(nodes &&
            changedNodes?.any && {
              node_counts: JSON.stringify(countNodes(nodes)),
              largest_node: JSON.stringify(largest(nodes)),
              node_totals: JSON.stringify(together(nodes)),
            }),
        })
        if (!polled) throw new Detached('the cluster is no longer in use')
        if (queue.any) await notifyChange(tx, 'clusters', clusterId, 'queuedjobs')
        if (changedNodes?.any) await notifyChange(tx, 'clusters', clusterId, 'nodes')
        // The cluster responds again, so its error is cleared.
        if (old.failing) await notifyChange(tx, 'clusters', clusterId)
        if (withLoad) {
          await store.addLoad(
            tx,
            clusterId,
            at,
            together(nodes).cores,
            nodes.reduce((sum, node) => sum + (node.load ?? 0), 0),
          )
          old.loadAt = at.getTime()
        }
        old.queue = queue.all
        if (changedNodes) old.nodes = changedNodes.all
        old.failing = false
        return news.length > 0
      })
    } catch (error) {
      // The transaction may not have committed, so the tables are read again.
      seen.delete(clusterId)
      if (error instanceof Detached) return false
      throw error
    }
  }

  return {
    save,

    /** Called when any server attaches or detaches a cluster: the cache of this one may be stale. */
    async replace(
      clusterId: string,
      jobs: scheduler.QueuedJob[],
      nodes: scheduler.NodeInfo[],
    ): Promise<void> {
      seen.delete(clusterId)
      await save(clusterId, { jobs, nodes, links: new Map() })
      seen.delete(clusterId)
    },

    async saveError(clusterId: string, message: string): Promise<void> {
      const known = seen.get(clusterId)
      if (known) known.failing = true
      await db.transaction(async (tx) => {
        await store.setPollError(tx, clusterId, message, new Date(now()))
        await notifyChange(tx, 'clusters', clusterId)
      })
    },

    forget: (clusterId: string) => void seen.delete(clusterId),

    async nodes(clusterId: string, query: TableQuery) {
      const found = await pages.page(db.kysely, 'nodes', clusterId, nodeColumns, query)
      const rows = z.array(ClusterNode).parse(found.rows)
      return { ...found, rows, data: rows }
    },
    /** Some users see only their own jobs, which also applies to the counts. */
    async queue(clusterId: string, query: TableQuery, viewer: QueueViewer) {
      const only = viewer.ownOnly ? isJobOf(viewer) : undefined
      const found = await pages.page(db.kysely, 'queue', clusterId, queueColumns, query, only)
      const rows = await asSeenBy(viewer, z.array(QueuedJob).parse(found.rows))
      return { ...found, rows, data: rows }
    },
    /** All running jobs, for the nodes that they run on. */
    async running(clusterId: string, viewer: QueueViewer): Promise<QueuedJob[]> {
      const rows = await store.running(db.kysely, clusterId, viewer.ownOnly ? viewer : undefined)
      return asSeenBy(viewer, z.array(QueuedJob).parse(rows.map(({ data }) => data)))
    },
    async node(clusterId: string, name: string): Promise<ClusterNode> {
      const row = await store.node(db.kysely, clusterId, name)
      return row ? ClusterNode.parse(row.data) : fail('not_found')
    },
    async load(clusterId: string, since: number): Promise<z.infer<typeof LoadAverage>[]> {
      const from = within(since)
      const pieceMs = Math.max(LOAD_EVERY_MS, (now() - from.getTime()) / LARGE_CHART_POINTS)
      return (await store.loads(db.kysely, clusterId, from, pieceMs)).map(asLoad)
    },
    /** The load of many clusters, with as many points as a small chart can show. */
    async loads(clusterIds: string[], since: number, most: number): Promise<z.infer<typeof LoadAverage>[]> {
      const from = within(since)
      const pieceMs = Math.max(1, (now() - from.getTime()) / CHART_POINTS)
      return (await store.loadsOf(db.kysely, clusterIds, { since: from, pieceMs, most })).map(asLoad)
    },
    sweep: () => store.removeOldLoads(db.kysely, new Date(now() - HISTORY_MS)),
  }
}
