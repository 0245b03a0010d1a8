import type * as z from 'zod/mini'
import type { BurstMode, Disk } from '@flotilla/contract/clusters/cloud'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { Resize } from '@flotilla/contract/clusters/lifecycle'
import type { Problem } from '@flotilla/contract/clusters/impossible/values'
import { engineUnavailable } from '../../../engines/engine'
import { changesOf } from '../../../changes'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { record, subjectOf } from '../../activities/activities'
import * as clusterStore from '../store'
import type { CloudCluster } from '../stored-cluster'
import { makeAcceptTerms } from './terms'
import type { NewClusterRun } from '../runs/run-actions'
import { requireState } from '../runs/starting'
import { notifyClustersChanged } from '../notify'
import { deployBlockedReason, deploymentOf, torqueMissingReason } from './workspace/deployment'
import {
  impossibleOf,
  newProblems,
  refuseImpossible,
  refuseUnfinished,
  refuseUnknownNodes,
  resized,
} from './input'
import { problemsInAccount } from './account-problems'
import { makeCloudQueries } from './queries'
import { makeCloudRecord, type RecordOptions } from './record'
import { partsOf } from './workspace/deps'
import { unfittingSizes } from './workspace/network'
import { everyNode, isEdited, presentNodes } from '../wanted-nodes'

export type Cloud = ReturnType<typeof makeCloud>
/** Problems of the cluster's disks, with paths relative to the list that was submitted. */
const asSent = (problems: Problem[], there: number): Problem[] =>
  problems.map(([path, text]) => [
    path.replace(/^data\.disks\.(\d+)/, (all, at: string) =>
      Number(at) < there ? all : `disks.${Number(at) - there}`,
    ),
    text,
  ])

/** Actions on clusters in clouds. */
export function makeCloud(options: RecordOptions) {
  const { clusters } = options
  const { create, update, cloudOnly, foreignDisks } = makeCloudRecord(options)

  const problemsOf = async (cluster: CloudCluster): Promise<Problem[]> => {
    const catalog = await options.catalog(cluster.provider, cluster.data.network.region_id)
    const stack = cluster.stack_id === null ? null : await options.stackChoices(cluster.stack_id)
    return [...impossibleOf(cluster, catalog, stack), ...unfittingSizes(cluster, catalog)]
  }
  /**
   * Refuses a change of a running cluster before it is stored, if it adds something that the cloud does not support.
   */
  const refuseChange = async (cluster: CloudCluster, data: CloudCluster['data']): Promise<void> =>
    refuseImpossible(newProblems(await problemsOf(cluster), await problemsOf({ ...cluster, data })))

  const refuseUndeployable = async (cluster: CloudCluster): Promise<void> => {
    refuseUnfinished(cluster)
    refuseImpossible(await problemsOf(cluster))
    const parts = await partsOf(options, cluster)
    // Building the variables fails for combinations that the cloud does not support.
    const { variables } = await options.infrastructure(cluster.provider)
    variables(deploymentOf(parts))
    const blocked = deployBlockedReason(parts)
    if (blocked) fail('wrong_state', { message: blocked })
    const noTorque = torqueMissingReason(parts)
    // Has its own error code, so that the page can offer Slurm.
    if (noTorque) fail('no_torque', { message: noTorque })
    await options.tofu.program().catch(engineUnavailable)
    refuseImpossible(await problemsInAccount(options, cluster))
  }
  /** Looks the cluster up again after slow checks in its cloud: its owner or its credential may have changed. */
  const lookUpAgain = (me: Caller, { id }: CloudCluster, context: RequestContext) =>
    clusters.mine(me, id, context)

  /** Starts an action that first changes the desired state of the cluster. */
  const change = async (
    me: Caller,
    cluster: CloudCluster,
    run: NewClusterRun<'deployNode' | 'destroyNode' | 'addDisk' | 'resize' | 'openvpn'>,
    context: RequestContext,
    valuesOf: (locked: CloudCluster) => clusterStore.ClusterChanges,
  ): Promise<Cluster> =>
    clusters.begin(me, await lookUpAgain(me, cluster, context), run, context, {
      allowedAs: 'change',
      // Uses the row as it is under the lock: someone may have saved an edit since it was read.
      before: async (tx) => {
        const locked = (await clusterStore.findInCloud(tx, cluster.id)) ?? fail('not_found')
        const values = valuesOf(locked)
        await clusterStore.update(tx, cluster.id, values)
        return changesOf(locked, values)
      },
    })

  const withNodes = (cluster: CloudCluster, nodes: string[], up: boolean): string[] => {
    const before = cluster.up_nodes
    return up ? [...new Set([...before, ...nodes])] : before.filter((name) => !nodes.includes(name))
  }

  return {
    create,
    update,

    async deploy(
      me: Caller,
      cluster: CloudCluster,
      onlyPlan: boolean,
      context: RequestContext,
    ): Promise<Cluster> {
      const action = onlyPlan ? 'plan' : cluster.state === 'available' ? 'applyChanges' : 'deploy'
      requireState(action, cluster.state)
      await options.requireCredential(cluster)
      await refuseUndeployable(cluster)
      return clusters.begin(me, await lookUpAgain(me, cluster, context), { action }, context)
    },

    async destroy(
      me: Caller,
      cluster: CloudCluster,
      { force, keepDisks }: { force: boolean; keepDisks: string[] },
      context: RequestContext,
    ): Promise<Cluster> {
      const unknown = keepDisks.filter((name) => !cluster.data.disks.some((disk) => disk.name === name))
      if (unknown.length > 0)
        fail('bad_input', { fields: { keepDisks: `No disk named ${unknown.join(', ')}` } })
      const action = force ? 'forceDestroy' : 'destroy'
      return clusters.begin(me, cluster, { action, input: { keepDisks } }, context)
    },

    /** Deploys the cluster for the console itself, under the same conditions as for its owner. */
    async deployUnattended(cluster: CloudCluster): Promise<void> {
      await options.requireCredential(cluster)
      await refuseUndeployable(cluster)
      await clusters.start(cluster, { action: 'deploy' }, null, null)
    },
    destroyUnattended: (cluster: CloudCluster): Promise<void> =>
      clusters.start(cluster, { action: 'destroy', input: { keepDisks: [] } }, null, null),

    async setNodes(
      me: Caller,
      id: string,
      nodes: string[],
      up: boolean,
      context: RequestContext,
    ): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      requireState('change', cluster.state)
      refuseUnknownNodes(cluster, nodes, up)
      // Any run of the engine would apply the edit too.
      if (!cluster.deployed || isEdited(cluster)) await options.requireCredential(cluster)
      const values = (now: CloudCluster) => ({ up_nodes: withNodes(now, nodes, up) })
      const run = { action: up ? 'deployNode' : 'destroyNode', input: { nodes } } as const
      return change(me, cluster, run, context, values)
    },

    /** The console itself brings nodes up or removes them; it does not retry nodes that failed to come up. */
    async burst(cluster: CloudCluster, nodes: string[], up: boolean): Promise<void> {
      const run = { action: up ? 'deployNode' : 'destroyNode', input: { nodes } } as const
      await clusters.start(cluster, run, null, null, {
        allowedAs: 'change',
        before: async (tx) => {
          const locked = (await clusterStore.findInCloud(tx, cluster.id)) ?? fail('not_found')
          const exist = locked.deployed ? presentNodes(locked.deployed) : []
          const wanted = everyNode(locked)
            .map(({ name }) => name)
            .filter((name) => (up && nodes.includes(name)) || (exist.includes(name) && !nodes.includes(name)))
          await clusterStore.update(tx, cluster.id, { up_nodes: wanted })
          return changesOf(locked, { up_nodes: wanted })
        },
      })
    },

    async addDisks(me: Caller, id: string, disks: Disk[], context: RequestContext): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      requireState('change', cluster.state)
      const others = await foreignDisks(me, cluster.provider, disks)
      if (Object.keys(others).length > 0) fail('bad_input', { fields: others })
      const withDisks = { ...cluster, data: { ...cluster.data, disks: [...cluster.data.disks, ...disks] } }
      refuseImpossible(
        asSent(
          [
            ...newProblems(await problemsOf(cluster), await problemsOf(withDisks)),
            ...(await problemsInAccount(options, withDisks)),
          ],
          cluster.data.disks.length,
        ),
      )
      const values = ({ data }: CloudCluster) => {
        const names = [...data.disks, ...disks].map(({ name }) => name)
        const twice = names.filter((name, index) => names.indexOf(name) !== index)
        if (twice.length > 0)
          fail('bad_input', { fields: { disks: `A disk named ${twice.join(', ')} already exists` } })
        return { data: { ...data, disks: [...data.disks, ...disks] } }
      }
      return change(me, cluster, { action: 'addDisk' }, context, values)
    },

    async resize(me: Caller, id: string, size: Resize, context: RequestContext): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      requireState('change', cluster.state)
      const catalog = await options.catalog(cluster.provider, cluster.data.network.region_id)
      await refuseChange(cluster, resized(cluster, size, catalog))
      const values = (locked: CloudCluster) => {
        const data = resized(locked, size, catalog)
        // New nodes of a group come up right away; nodes that it no longer has are removed.
        const old = new Set(everyNode(locked).map(({ name }) => name))
        const now = everyNode({ ...locked, data }).map(({ name }) => name)
        const up = locked.up_nodes.filter((name) => now.includes(name))
        const added = now.filter((name) => !old.has(name))
        return { data, up_nodes: [...up, ...added] }
      }
      return change(me, cluster, { action: 'resize' }, context, values)
    },

    async setOpenvpn(me: Caller, id: string, openvpn: boolean, context: RequestContext): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      requireState('change', cluster.state)
      const values = ({ data }: CloudCluster) => ({
        data: { ...data, server: { ...data.server, openvpn } },
      })
      return change(me, cluster, { action: 'openvpn' }, context, values)
    },

    async setBurstMode(
      me: Caller,
      id: string,
      mode: z.infer<typeof BurstMode>,
      context: RequestContext,
    ): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      requireState('setBurstMode', cluster.state)
      await context.transaction(async (tx) => {
        await clusterStore.lock(tx, id)
        const { info } = (await clusterStore.findInCloud(tx, id)) ?? fail('not_found')
        await clusterStore.update(tx, id, {
          info: { ...info, bursting: { ...info.bursting, mode } },
          burst_paused: null,
          burst_reset_at: new Date(),
        })
        await record(tx, me, context, {
          action: 'burst mode changed',
          subject: subjectOf('cluster', cluster),
          detail: `${info.bursting.mode} to ${mode}`,
          changes: changesOf(info, { bursting: { ...info.bursting, mode } }),
        })
        await notifyClustersChanged(tx, id)
      })
      return clusters.view(me, id)
    },

    async manageFsr(me: Caller, id: string, enabled: boolean, context: RequestContext): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      if (cluster.provider !== 'aws')
        fail('wrong_state', { message: 'Fast snapshot restore is only available on AWS' })
      requireState('change', cluster.state)
      const run = { action: 'fastRestore', input: { enabled } } as const
      return clusters.begin(me, cluster, run, context, { allowedAs: 'change' })
    },

    acceptTerms: makeAcceptTerms(options),
    ...makeCloudQueries(options),
  }
}
