import type * as z from 'zod/mini'
import type { BurstMode, Disk } from '@flotilla/contract/clusters/cloud'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { Resize } from '@flotilla/contract/clusters/lifecycle'
import { engineUnavailable } from '../../../engines/engine'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { record } from '../../activities/activities'
import * as clusterStore from '../store'
import type { FoundCluster } from '../store'
import { clusterRuns } from '../runs/runs'
import { requireState } from '../runs/starting'
import { tellClustersChanged } from '../watch/notify'
import { whyNotDeployable, whyWithoutTorque } from './deploy/deployment'
import { refuseUnfinished, refuseUnknownNodes, resized } from './input'
import { makeLooks } from './queries'
import { makeCloudRecord, type RecordOptions } from './deploy/record'
import { partsOf, providerOf } from './deploy/deps'
import { dataOf, deployedOf, everyNode, infoOf, madeFrom, upNodesOf } from './stored'

export type Cloud = ReturnType<typeof makeCloud>
/** What people do with clusters in clouds. */
export function makeCloud(options: RecordOptions) {
  const { clusters } = options
  const { create, update, cloudOnly } = makeCloudRecord(options)

  const refuseUndeployable = async (cluster: FoundCluster): Promise<void> => {
    refuseUnfinished(cluster)
    const parts = await partsOf(options, cluster)
    const why = whyNotDeployable(parts)
    if (why) fail('wrong_state', { message: why })
    const noTorque = whyWithoutTorque(parts)
    // A code of its own: who reads it can offer Slurm.
    if (noTorque) fail('no_torque', { message: noTorque })
    await options.tofu.program().catch(engineUnavailable)
  }
  /** An action that first changes what the cluster is to be. */
  const change = (
    me: Caller,
    cluster: FoundCluster,
    action: 'deployNode' | 'destroyNode' | 'addDisk' | 'resize' | 'openvpn',
    context: RequestContext,
    valuesOf: (locked: FoundCluster) => Parameters<typeof clusterStore.update>[2],
    input: Record<string, unknown>,
  ): Promise<Cluster> =>
    clusters.begin(me, cluster.id, action, context, {
      input,
      allowedAs: 'change',
      // From the row as it is under the lock: somebody may have saved an edit since it was looked at.
      before: async (tx) => {
        const locked = (await clusterStore.findAny(tx, cluster.id)) ?? fail('not_found')
        await clusterStore.update(tx, cluster.id, valuesOf(locked))
      },
    })

  const withNodes = (cluster: FoundCluster, nodes: string[], up: boolean): string[] => {
    const before = upNodesOf(cluster)
    return up ? [...new Set([...before, ...nodes])] : before.filter((name) => !nodes.includes(name))
  }

  return {
    create,
    update,

    async deploy(me: Caller, id: string, onlyPlan: boolean, context: RequestContext): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      const running = cluster.state === 'available'
      requireState(onlyPlan ? 'plan' : running ? 'applyChanges' : 'deploy', cluster.state)
      await options.requireCredential(cluster)
      await refuseUndeployable(cluster)
      if (onlyPlan) return clusters.begin(me, id, 'plan', context)
      return running
        ? clusters.begin(me, id, 'applyChanges', context)
        : clusters.begin(me, id, 'deploy', context)
    },

    async destroy(
      me: Caller,
      id: string,
      { force, keepDisks }: { force: boolean; keepDisks: string[] },
      context: RequestContext,
    ): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      const unknown = keepDisks.filter((name) => !dataOf(cluster).disks.some((disk) => disk.name === name))
      if (unknown.length > 0)
        fail('bad_input', { fields: { keepDisks: `There is no disk ${unknown.join(', ')}` } })
      return clusters.begin(me, id, force ? 'forceDestroy' : 'destroy', context, { input: { keepDisks } })
    },

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
      // Whatever the engine does carries out the edit too.
      if (deployedOf(cluster)?.madeFrom !== madeFrom(cluster)) await options.requireCredential(cluster)
      const values = (now: FoundCluster) => ({ up_nodes: JSON.stringify(withNodes(now, nodes, up)) })
      return change(me, cluster, up ? 'deployNode' : 'destroyNode', context, values, { nodes })
    },

    /** The console itself brings nodes up or takes them away; what did not come the last time is not tried again by it. */
    async burst(cluster: FoundCluster, nodes: string[], up: boolean): Promise<void> {
      await clusters.start(cluster, up ? 'deployNode' : 'destroyNode', null, null, {
        input: { nodes },
        allowedAs: 'change',
        before: async (tx) => {
          const locked = (await clusterStore.findAny(tx, cluster.id)) ?? fail('not_found')
          const exist = deployedOf(locked)?.machines.map(({ name }) => name) ?? []
          const wanted = everyNode(locked)
            .map(({ name }) => name)
            .filter((name) => (up && nodes.includes(name)) || (exist.includes(name) && !nodes.includes(name)))
          await clusterStore.update(tx, cluster.id, { up_nodes: JSON.stringify(wanted) })
        },
      })
    },

    async addDisks(me: Caller, id: string, disks: Disk[], context: RequestContext): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      requireState('change', cluster.state)
      const values = (now: FoundCluster) => {
        const data = dataOf(now)
        const names = [...data.disks, ...disks].map(({ name }) => name)
        const twice = names.filter((name, index) => names.indexOf(name) !== index)
        if (twice.length > 0)
          fail('bad_input', { fields: { disks: `There is a disk ${twice.join(', ')} already` } })
        return { data: JSON.stringify({ ...data, disks: [...data.disks, ...disks] }) }
      }
      return change(me, cluster, 'addDisk', context, values, { disks: disks.map(({ name }) => name) })
    },

    async resize(me: Caller, id: string, size: Resize, context: RequestContext): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      requireState('change', cluster.state)
      const region = dataOf(cluster).network.region_id
      const catalogue = await options.catalogue(providerOf(cluster), region)
      const values = (locked: FoundCluster) => {
        const data = JSON.stringify(resized(locked, size, catalogue))
        // New nodes of a group come up with it; those that it has no more of are gone.
        const old = new Set(everyNode(locked).map(({ name }) => name))
        const now = everyNode({ ...locked, data: JSON.parse(data) as unknown }).map(({ name }) => name)
        const up = upNodesOf(locked).filter((name) => now.includes(name))
        const added = now.filter((name) => !old.has(name))
        return { data, up_nodes: JSON.stringify([...up, ...added]) }
      }
      return change(me, cluster, 'resize', context, values, { size })
    },

    async setOpenvpn(me: Caller, id: string, openvpn: boolean, context: RequestContext): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      requireState('change', cluster.state)
      const values = (now: FoundCluster) => {
        const data = dataOf(now)
        return { data: JSON.stringify({ ...data, server: { ...data.server, openvpn } }) }
      }
      return change(me, cluster, 'openvpn', context, values, { openvpn })
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
        const info = infoOf((await clusterStore.findAny(tx, id)) ?? fail('not_found'))
        await clusterStore.update(tx, id, {
          info: JSON.stringify({ ...info, bursting: { ...info.bursting, mode } }),
          burst_paused: null,
          burst_reset_at: new Date(),
        })
        await record(tx, me, context, {
          action: 'burst mode changed',
          subject: `cluster ${cluster.name}`,
          detail: `${info.bursting.mode} to ${mode}`,
          clusterId: id,
        })
        await tellClustersChanged(tx, id)
      })
      return clusters.view(me, id)
    },

    async manageFsr(me: Caller, id: string, enabled: boolean, context: RequestContext): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      if (cluster.provider !== 'aws')
        fail('wrong_state', { message: 'Fast snapshot restore is a service of AWS: no other cloud has it' })
      requireState('change', cluster.state)
      return clusters.begin(me, id, 'fastRestore', context, { input: { enabled }, allowedAs: 'change' })
    },

    async cancel(me: Caller, id: string, context: RequestContext): Promise<Cluster> {
      const cluster = await clusters.mine(me, id, context)
      requireState('cancel', cluster.state)
      await context.transaction(async (tx) => {
        if (!(await clusterRuns.requestCancel(tx, id)))
          fail('wrong_state', { message: 'There is nothing in progress to cancel' })
        await record(tx, me, context, {
          action: 'canceled',
          subject: `cluster ${cluster.name}`,
          detail: cluster.state,
          clusterId: id,
        })
      })
      return clusters.view(me, id)
    },

    ...makeLooks(options),
  }
}
