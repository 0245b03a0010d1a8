import {
  isClusterActionAllowed,
  clusterBlockedReason,
  isAction,
  type ClusterAction,
  type ClusterState,
} from '@flotilla/contract/clusters/states'
import type { AuditChange } from '@flotilla/contract/people/audit'
import { changesOf } from '../../../changes'
import type { Database, Queryable, Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { AuditSource, Caller, RequestContext } from '../../../http/caller'
import type { Queue } from '../../../queue/queue'
import { record, subjectOf, type Actor } from '../../activities/activities'
import type { HeadNodePolicy } from '../connection/head-node-policy'
import { mayCreateResources, runActions, type NewClusterRun } from './run-actions'
import { clusterRuns } from './runs'
import * as store from '../store'
import type { StoredCluster } from '../stored-cluster'
import { notifyClustersChanged } from '../notify'

/** What is done in the same transaction that starts a run. */
export type StartOptions = {
  /** The action whose permission is checked, if its name differs from the run's. */
  allowedAs?: ClusterAction
  /** Returns what it changed. */
  before?(tx: Transaction, cluster: StoredCluster): Promise<AuditChange[]>
}

export function requireState(action: ClusterAction, state: ClusterState): void {
  if (!isClusterActionAllowed(action, state))
    fail('wrong_state', { message: clusterBlockedReason(action, state), extras: { state } })
}

/** Locks the cluster and returns its state, if the action is allowed in it. */
export async function lockFor(tx: Transaction, id: string, action: ClusterAction): Promise<ClusterState> {
  const { state } = (await store.lock(tx, id)) ?? fail('not_found')
  requireState(action, state)
  return state
}

export type Starting = {
  db: Database
  queue: Queue
  /** Fails if the owner of the cluster may no longer use its credential. */
  requireCredential(on: Queryable, cluster: StoredCluster): Promise<void>
  headNodePolicy: Pick<HeadNodePolicy, 'countNew'>
  system: AuditSource
  now: () => number
}

/** How actions on clusters start: the state and the queued run change together, or not at all. */
export function makeStarting({ db, queue, requireCredential, headNodePolicy, system, now }: Starting) {
  /** Sets the state for the duration of the run, and queues the run, in one transaction. */
  const queueRun = async (
    tx: Transaction,
    id: string,
    { action, input }: NewClusterRun,
    actor: Actor,
    fromState: ClusterState,
  ): Promise<void> => {
    const at = new Date(now())
    const run = { actor, at, action, from_state: fromState, input: JSON.stringify(input ?? {}) }
    const { during } = runActions[action]
    await store.update(tx, id, { state: during, state_since: at, cause: null })
    await clusterRuns.begin(tx, queue, id, run, { ahead: action === 'forceDestroy' })
    await notifyClustersChanged(tx, id)
  }

  /** Starts an action, for a person or, without one, for the console itself. */
  const start = async (
    cluster: StoredCluster,
    run: NewClusterRun,
    me: Caller | null,
    context: RequestContext | null,
    { before, allowedAs = isAction(run.action) ? run.action : 'change' }: StartOptions = {},
  ): Promise<void> => {
    const { action } = run
    // A forced destroy opens no connection.
    if (me && action !== 'forceDestroy') await headNodePolicy.countNew(me, cluster)
    const { transaction } = context ?? db
    await transaction(async (tx) => {
      const state = await lockFor(tx, cluster.id, allowedAs)
      if (mayCreateResources(run)) await requireCredential(tx, cluster)
      if (action === 'forceDestroy')
        await clusterRuns.abort(tx, cluster.id, new Date(now()), 'aborted by a force destroy')
      const changed = (await before?.(tx, cluster)) ?? []
      await queueRun(tx, cluster.id, run, me, state)
      await record(tx, me, context ?? system, {
        action: `${action} started`,
        subject: subjectOf('cluster', cluster),
        detail: `from ${state}`,
        changes: [...changesOf({ state }, { state: runActions[action].during }), ...changed],
      })
    })
  }

  return { queueRun, start }
}
