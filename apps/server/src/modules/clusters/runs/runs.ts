import { isInCloud } from '@flotilla/contract/clusters/entity'
import { changesOf } from '../../../changes'
import type { Database } from '../../../db/database'
import type { AuditSource } from '../../../http/caller'
import { record } from '../../activities/activities'
import { defineRuns, makeRuns, type RunContext } from '../../runs/runs'
import type { Poller } from '../watch/poller'
import {
  isRunAction,
  parseInput,
  runActions,
  stateAfter,
  stateAfterFailure,
  type RunAction,
  type RunInputs,
} from './run-actions'
import * as store from '../store'
import type { AttachedCluster, CloudCluster, StoredCluster } from '../stored-cluster'
import { notifyClustersChanged } from '../notify'

export const clusterRuns = defineRuns('cluster', 'cluster-run', 'cluster_runs')

export type Steps<Cluster extends StoredCluster> = {
  [A in RunAction]?: (cluster: Cluster, run: RunContext, input: RunInputs[A]) => Promise<void>
}
/** Undefined if clusters of this kind have no such step. */
const startStep = <Cluster extends StoredCluster, A extends RunAction>(
  steps: Steps<Cluster>,
  action: A,
  input: RunInputs[A],
  cluster: Cluster,
  run: RunContext,
): Promise<void> | undefined => steps[action]?.(cluster, run, input)

const MINUTE_MS = 60_000
const attached = { limitMs: 10 * MINUTE_MS, graceMs: 0 }
/** An engine that was asked to stop removes locks and records what it has created. */
const cloud = { limitMs: 60 * MINUTE_MS, graceMs: 5 * MINUTE_MS }
const OVERDUE_MS = 180 * MINUTE_MS
const NOT_SUPPORTED = 'This cluster does not support this action'

type Options = {
  db: Database
  attachedSteps: Steps<AttachedCluster>
  cloudSteps: Steps<CloudCluster>
  poller: Pick<Poller, 'watch' | 'unwatch'>
  system: AuditSource
  now: () => number
}

/** Runs the actions on clusters. */
export const makeClusterRuns = ({ db, attachedSteps, cloudSteps, poller, system, now }: Options) =>
  makeRuns(clusterRuns, {
    db,
    now,
    overdueMs: OVERDUE_MS,
    overdueAdvice: 'Try again, or force it.',
    find: (id) => store.findAny(db.kysely, id),
    work: (cluster, { action, input: stored }) => ({
      ...(isInCloud(cluster) ? cloud : attached),
      async step(context): Promise<void> {
        poller.unwatch(cluster.id)
        if (!isRunAction(action)) throw new Error(NOT_SUPPORTED)
        const input = parseInput(action, stored)
        const started = isInCloud(cluster)
          ? startStep(cloudSteps, action, input, cluster, context)
          : startStep(attachedSteps, action, input, cluster, context)
        if (!started) throw new Error(NOT_SUPPORTED)
        await started
      },
    }),
    async write(tx, { id }, { action }, lines, position) {
      const type = isRunAction(action) ? runActions[action].log : 'change'
      await store.addLines(tx, id, type, new Date(now()), lines)
      if (position !== null) await store.update(tx, id, { engine_position: position })
      await notifyClustersChanged(tx, id)
    },
    async finish(tx, cluster, { run, at, cause, actor }) {
      const { id, name } = cluster
      const { action, from_state } = run
      if (!isRunAction(action)) return
      const before = from_state ?? 'failed'
      const state =
        cause === null ? stateAfter(action, before) : stateAfterFailure(action, before, !isInCloud(cluster))
      await store.update(tx, id, {
        state,
        state_since: at,
        cause,
        ...(!(state === 'available' && before === 'available') && {
          available_since: state === 'available' ? at : null,
        }),
      })
      await record(tx, actor, system, {
        action: cause === null ? `${action} done` : `${action} failed`,
        subject: { kind: 'cluster', id, name },
        detail: cause ?? `now ${state}`,
        changes: changesOf({ state: before }, { state }),
      })
      await notifyClustersChanged(tx, id)
    },
    async afterEnd({ cluster_id }) {
      if (await store.isPolled(db.kysely, cluster_id)) poller.watch(cluster_id)
    },
  })
