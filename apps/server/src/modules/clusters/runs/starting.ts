import {
  clusterMay,
  clusterMayNot,
  isAction,
  type ClusterAction,
  type ClusterState,
} from '@flotilla/contract/clusters/states'
import type { Database, Queryable, Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { newId } from '../../../ids'
import type { Queue } from '../../../queue/queue'
import { record } from '../../activities/activities'
import type { Dialing } from '../connection/dialing'
import { makesSomething, runActions, type RunAction } from './run-actions'
import { clusterRuns } from './runs'
import * as store from '../store'
import { tellClustersChanged } from '../watch/notify'

/** What is done in the same transaction that begins a run, and what the run is told. */
export type Begun = {
  input?: Record<string, unknown>
  /** The state that allows it is not of the same name as the run. */
  allowedAs?: ClusterAction
  before?(tx: Transaction, cluster: store.FoundCluster): Promise<void>
}

export function requireState(action: ClusterAction, state: ClusterState): void {
  if (!clusterMay(action, state))
    fail('wrong_state', { message: clusterMayNot(action, state), extras: { state } })
}

export type Starting = {
  db: Database
  queue: Queue
  /** Refuses when the owner of the cluster may not use its credential any more. */
  requireCredential(on: Queryable, cluster: store.FoundCluster): Promise<void>
  dialing: Pick<Dialing, 'countNew'>
  now: () => number
}

/** How actions on clusters begin: the state changes with the work that it stands for, or not at all. */
export function makeStarting({ db, queue, requireCredential, dialing, now }: Starting) {
  /** The state while the work is in progress, and the work itself, in one transaction. */
  const queueRun = async (
    tx: Transaction,
    id: string,
    action: RunAction,
    actor: { id: string; username: string } | null,
    fromState: ClusterState,
    input: Record<string, unknown> = {},
  ): Promise<void> => {
    const run = {
      id: newId(),
      cluster_id: id,
      action,
      actor_id: actor?.id ?? null,
      actor: actor?.username ?? null,
      began_at: new Date(now()),
      from_state: fromState,
      input: JSON.stringify(input),
    }
    const { during } = runActions[action]
    await store.update(tx, id, { state: during, state_since: new Date(now()), cause: null })
    await clusterRuns.begin(tx, queue, id, run, { ahead: action === 'forceDestroy' })
    await tellClustersChanged(tx, id)
  }

  /** Begins an action, for a person or, without one, for the console itself. */
  const start = async (
    cluster: store.FoundCluster,
    action: RunAction,
    me: Caller | null,
    context: RequestContext | null,
    { input, before, allowedAs = isAction(action) ? action : 'change' }: Begun = {},
  ): Promise<void> => {
    // A forced destroy connects to nothing.
    if (me && action !== 'forceDestroy') await dialing.countNew(me, cluster)
    const { transaction } = context ?? db
    await transaction(async (tx) => {
      const locked = (await store.lock(tx, cluster.id)) ?? fail('not_found')
      requireState(allowedAs, locked.state)
      if (makesSomething(action, input)) await requireCredential(tx, cluster)
      if (action === 'forceDestroy')
        await clusterRuns.abort(tx, cluster.id, new Date(now()), 'aborted by a forced destroy')
      await before?.(tx, cluster)
      await queueRun(tx, cluster.id, action, me, locked.state, input)
      await record(tx, me, context, {
        action: `${action} started`,
        subject: `cluster ${cluster.name}`,
        detail: `from ${locked.state}`,
        clusterId: cluster.id,
      })
    })
  }

  return { queueRun, start }
}
