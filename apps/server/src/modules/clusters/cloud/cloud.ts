import * as z from 'zod/mini'
import {
  Plan,
  type BurstMode,
  type CloudClusterInput,
  type CloudResource,
  type Disk,
} from '@flotilla/contract/clusters-cloud'
import type { Cluster } from '@flotilla/contract/clusters-entity'
import type { Resize } from '@flotilla/contract/clusters-lifecycle'
import { clusterMay, clusterMayNot } from '@flotilla/contract/clusters-states'
import type { Price } from '@flotilla/contract/providers'
import type { Database } from '../../../db/database'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { newId } from '../../../ids'
import { tellIdentityChanged } from '../../../live/live'
import { everyNode as everyMachine, priceOf } from '../../../providers/price'
import { record } from '../../activities/activities'
import type { Clusters } from '../clusters'
import * as clusterStore from '../store'
import type { FoundCluster } from '../store'
import { tellClustersChanged } from '../tell'
import { sealNewSecrets, whyNotDeployable } from './deployment'
import { refuseImpossible, refuseUnfinished, refuseUnknownNodes, resized, smallerDisks } from './input'
import { hasState, openCluster, partsOf, type Surroundings } from './surroundings'
import { dataOf, deployedOf, everyNode, infoOf, madeFrom, upNodesOf, wantedNodes } from './stored'
import { existing } from './words'

type Options = Surroundings & {
  db: Database
  clusters: Clusters
  mayUseCredential(me: Caller, id: string): Promise<boolean>
  mayUseStack(me: Caller, id: string, provider: string): Promise<boolean>
  providersFor(me: Caller): Promise<string[]>
}
const StoredPlan = z.nullable(z.extend(Plan, { madeFrom: z.string() }))

export type Cloud = ReturnType<typeof makeCloud>
/** What people do with clusters in clouds. */
export function makeCloud(options: Options) {
  const { db, clusters, secrets } = options

  /** Only what this person may use, and only what the provider can do. */
  const check = async (me: Caller, input: CloudClusterInput, before?: FoundCluster): Promise<void> => {
    refuseImpossible(input)
    const fields: Record<string, string> = {}
    if (!(await options.providersFor(me)).includes(input.provider))
      fields['cluster.provider'] = 'You are not offered this provider'
    const credential = input.credential_id
    // Who edits a cluster that was shared with them need not hold its credential.
    if (credential !== before?.credential_id) {
      if (!(await options.mayUseCredential(me, credential)))
        fields['cluster.credential_id'] = 'There is no such credential, or it is not shared with you'
      else if ((await options.credential(credential)).provider !== input.provider)
        fields['cluster.credential_id'] = 'This credential is of another provider'
    }
    if (input.stack_id !== null && input.stack_id !== before?.stack_id)
      if (!(await options.mayUseStack(me, input.stack_id, input.provider)))
        fields['cluster.stack_id'] = 'There is no such stack for this provider, or it is not shared with you'
    if (input.forEveryone !== (before?.for_everyone ?? false) && !me.role.includes('admin'))
      fields['cluster.forEveryone'] = 'Only an admin opens a cluster to everyone'
    const smaller = before && smallerDisks(input, before)
    if (smaller) fields['cluster.data.disks'] = smaller
    if (Object.keys(fields).length > 0) fail('bad_input', { fields })
  }
  const columns = (input: CloudClusterInput, before?: FoundCluster) => {
    const key = input.data.rhel_activation_key || (before ? dataOf(before).rhel_activation_key : '')
    return {
      name: input.name,
      description: input.description,
      for_everyone: input.forEveryone,
      credential_id: input.credential_id,
      stack_id: input.stack_id,
      info: JSON.stringify(input.info),
      // It is written and never read back, so an empty one means the same as before; no organization, no key.
      data: JSON.stringify({
        ...input.data,
        rhel_activation_key: input.data.rhel_organization_id ? key : '',
      }),
    }
  }

  const cloudOnly = async (me: Caller, id: string, context: RequestContext): Promise<FoundCluster> => {
    const cluster = await clusters.mine(me, id, context)
    if (cluster.provider === 'local')
      fail('wrong_state', {
        message: 'This cluster is made of machines that exist: there is no cloud to ask',
      })
    return cluster
  }
  const requireState = (action: Parameters<typeof clusterMay>[0], { state }: FoundCluster): void => {
    if (!clusterMay(action, state))
      fail('wrong_state', { message: clusterMayNot(action, state), extras: { state } })
  }
  const refuseUndeployable = async (cluster: FoundCluster): Promise<void> => {
    refuseUnfinished(cluster)
    const parts = await partsOf(options, cluster)
    const why = whyNotDeployable({ ...parts, simulated: options.simulated })
    if (why) fail('wrong_state', { message: why })
    await options.tofu
      .program()
      .catch((error: Error & { advice?: string }) =>
        fail('engine_unavailable', { message: [error.message, error.advice].filter(Boolean).join('\n') }),
      )
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
    async create(me: Caller, input: CloudClusterInput, context: RequestContext): Promise<Cluster> {
      await check(me, input)
      const collaborators = await clusters.idsOf(input.collaborators)
      const id = newId()
      await db.transaction(async (tx) => {
        await clusters.insertRow(tx, id, me.id, {
          provider: input.provider,
          sealed_secrets: sealNewSecrets(secrets, id),
          ...columns(input),
        })
        await clusterStore.setCollaborators(tx, id, collaborators)
        for (const userId of collaborators) await tellIdentityChanged(tx, userId)
        await record(tx, me, context, {
          action: 'created',
          subject: `cluster ${input.name}`,
          detail: input.provider,
          clusterId: id,
        })
      })
      return clusters.view(me, id)
    },

    async update(
      me: Caller,
      input: CloudClusterInput & { id: string },
      deletedPkgs: string[],
      context: RequestContext,
    ): Promise<Cluster> {
      const before = await cloudOnly(me, input.id, context)
      await check(me, input, before)
      if (input.provider !== before.provider)
        fail('bad_input', {
          fields: { 'cluster.provider': 'A cluster stays with its provider: make a new one from it' },
        })
      const removed = new Set(deletedPkgs)
      const packages = input.data.packages.filter((name) => !removed.has(name))
      const collaborators = await clusters.idsOf(input.collaborators)
      await db.transaction(async (tx) => {
        const locked = (await clusterStore.lock(tx, input.id)) ?? fail('not_found')
        if (!clusterMay('edit', locked.state))
          fail('wrong_state', {
            message: clusterMayNot('edit', locked.state),
            extras: { state: locked.state },
          })
        const moved = {
          credential_id: input.credential_id !== before.credential_id,
          'data.network.region_id': input.data.network.region_id !== dataOf(before).network.region_id,
        }
        const fields = Object.entries(moved).filter(([, differs]) => differs)
        // Also after a deploy that failed half-way: what it made would be searched for in the wrong place.
        if (fields.length > 0 && (before.deployed !== null || hasState(options.dataDir, input.id)))
          fail('wrong_state', {
            message:
              'What is there was made with the credential and in the region that it has: destroy it first',
            fields: Object.fromEntries(
              fields.map(([field]) => [
                `cluster.${field}`,
                'Not while something of the cluster is in the cloud',
              ]),
            ),
          })
        await clusterStore.update(
          tx,
          input.id,
          columns({ ...input, data: { ...input.data, packages } }, before),
        )
        await clusterStore.setCollaborators(tx, input.id, collaborators)
        for (const userId of [...collaborators, ...before.collaborators.map(({ id }) => id)])
          await tellIdentityChanged(tx, userId)
        await record(tx, me, context, {
          action: 'edited',
          subject: `cluster ${input.name}`,
          clusterId: input.id,
        })
        await tellClustersChanged(tx, input.id)
      })
      return clusters.view(me, input.id)
    },

    async deploy(me: Caller, id: string, onlyPlan: boolean, context: RequestContext): Promise<Cluster> {
      const cluster = await cloudOnly(me, id, context)
      const running = cluster.state === 'available'
      requireState(onlyPlan ? 'plan' : running ? 'applyChanges' : 'deploy', cluster)
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
      requireState('change', cluster)
      refuseUnknownNodes(cluster, nodes, up)
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
      requireState('change', cluster)
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
      requireState('change', cluster)
      const values = (locked: FoundCluster) => {
        const data = JSON.stringify(resized(locked, size))
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
      requireState('change', cluster)
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
      requireState('setBurstMode', cluster)
      await db.transaction(async (tx) => {
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
      requireState('change', cluster)
      return clusters.begin(me, id, 'fastRestore', context, { input: { enabled }, allowedAs: 'change' })
    },

    async cancel(me: Caller, id: string, context: RequestContext): Promise<Cluster> {
      const cluster = await clusters.mine(me, id, context)
      requireState('cancel', cluster)
      await db.transaction(async (tx) => {
        if (!(await clusterStore.askToCancel(tx, id)))
          fail('wrong_state', { message: 'There is nothing under way to cancel' })
        await record(tx, me, context, {
          action: 'cancelled',
          subject: `cluster ${cluster.name}`,
          detail: cluster.state,
          clusterId: id,
        })
      })
      return clusters.view(me, id)
    },

    async plan(me: Caller, id: string): Promise<z.infer<typeof Plan> | null> {
      const cluster = await clusters.find(me, id)
      const plan = StoredPlan.parse(cluster.plan)
      if (!plan) return null
      const { madeFrom: made, ...shown } = plan
      return { ...shown, stale: made !== madeFrom(cluster) }
    },

    /** With all of its nodes up: what it can cost at most. */
    async price(input: CloudClusterInput): Promise<Price> {
      const catalogue = await options.catalogue(input.provider, input.data.network.region_id)
      return priceOf(
        catalogue,
        input.data,
        { head: true, nodes: everyMachine(input.data) },
        options.simulated,
      )
    },
    /** What a cluster costs now. */
    async priceNow(cluster: FoundCluster): Promise<Price | null> {
      if (cluster.provider === 'local' || cluster.deployed === null) return null
      const data = dataOf(cluster)
      const parts = await partsOf(options, cluster)
      const on = cluster.state !== 'stopped'
      const up = { head: on, nodes: on ? wantedNodes(cluster) : [] }
      return priceOf(parts.catalogue, data, up, options.simulated)
    },

    async resources(me: Caller, id: string): Promise<CloudResource[]> {
      const cluster = await clusters.find(me, id)
      if (cluster.provider === 'local' || cluster.deployed === null) return []
      const { workspace } = await openCluster(options, cluster, { onlyLook: true })
      return existing(await workspace.resources())
    },
  }
}
