import type { LogLevel } from '@flotilla/contract/clusters/entity'
import type { Database, Queryable } from '../../../db/database'
import type { AuditSource } from '../../../http/caller'
import { record, subjectOf } from '../../activities/activities'
import { parseInput } from '../runs/run-actions'
import * as clusters from '../store'
import type { CloudCluster } from '../stored-cluster'
import { notifyClustersChanged } from '../notify'
import type { EndedRun } from './breaker'

const actions = ['deployNode', 'destroyNode'] as const
/** Enough runs to count the failures in a row. */
const MAX_RUNS = 40

export type PastRun = EndedRun & { id: string; byConsole: boolean }

/** Runs that brought nodes up or removed them since the mode was last changed, newest first. */
export async function pastRuns(db: Queryable, cluster: CloudCluster): Promise<PastRun[]> {
  const rows = await db
    .selectFrom('cluster_runs')
    .select(['id', 'action', 'input', 'ended_at', 'cause', 'actor_id'])
    .where('cluster_id', '=', cluster.id)
    .where('action', 'in', actions)
    .where('ended_at', 'is not', null)
    .where('began_at', '>', cluster.burst_reset_at ?? new Date(0))
    .orderBy('began_at', 'desc')
    .limit(MAX_RUNS)
    .execute()
  return rows.map((row) => {
    const action = row.action === 'deployNode' ? 'deployNode' : 'destroyNode'
    return {
      id: row.id,
      action,
      nodes: parseInput(action, row.input).nodes,
      endedAt: row.ended_at?.getTime() ?? 0,
      cause: row.cause,
      byConsole: row.actor_id === null,
    }
  })
}

export const addLogLine = (
  db: Database,
  cluster: CloudCluster,
  at: number,
  text: string,
  level: LogLevel = 'info',
): Promise<void> =>
  db.transaction(async (tx) => {
    await clusters.addLine(tx, cluster.id, 'burst', new Date(at), text, level)
    await notifyClustersChanged(tx, cluster.id)
  })

/** Records a decision of the console itself in the log and in the audit trail. */
export const recordDecision = (
  db: Database,
  cluster: CloudCluster,
  at: number,
  system: AuditSource,
  { action, detail }: { action: 'burst: nodes brought up' | 'burst: nodes removed'; detail: string },
): Promise<void> =>
  db.transaction(async (tx) => {
    await clusters.addLine(tx, cluster.id, 'burst', new Date(at), `${action}: ${detail}`)
    await record(tx, null, system, { action, subject: subjectOf('cluster', cluster), detail })
    await notifyClustersChanged(tx, cluster.id)
  })

export const setPaused = (
  db: Database,
  cluster: CloudCluster,
  at: number,
  reason: string | null,
): Promise<void> =>
  db.transaction(async (tx) => {
    await clusters.update(tx, cluster.id, { burst_paused: reason })
    const [text, level] = [reason ?? 'Automatic bursting has resumed', reason ? 'warning' : 'info'] as const
    await clusters.addLine(tx, cluster.id, 'burst', new Date(at), text, level)
    await notifyClustersChanged(tx, cluster.id)
  })
