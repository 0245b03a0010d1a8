import { isAdmin } from '@flotilla/contract/access'
import { isInCloud, type Cluster } from '@flotilla/contract/clusters/entity'
import { isClusterActionAllowed } from '@flotilla/contract/clusters/states'
import type { Page } from '@flotilla/contract/lists'
import type { Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { AuditSource, Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import type { Queue } from '../../queue/queue'
import type { Secrets } from '../../secrets/secrets'
import type { UsedBy } from '../credentials/credentials'
import { finders, makeShare, viewerOf, visiblePage } from '../sharing/sharing'
import { sameHost } from './connection/ssh-access'
import type { HeadNodePolicy } from './connection/head-node-policy'
import type { ConnectionTarget } from './connection/settings'
import {
  changesConnection,
  draft,
  requireSameManager,
  toColumns,
  type InputContext,
  type Input,
} from './saving/attached-input'
import { makePlaces } from './saving/places'
import { makeRecords } from './records'
import type { NewClusterRun } from './runs/run-actions'
import { makeStarting, type StartOptions, type Starting } from './runs/starting'
import type { Saving } from './saving/saving'
import { notifySharing } from './sharing/sharing'
import * as store from './store'
import type { AttachedCluster, StoredCluster } from './stored-cluster'
import { notifyClustersChanged } from './notify'
import { makeViews, type ViewOptions } from './views/views'

type Options = ViewOptions & {
  queue: Queue
  secrets: Secrets
  saving: Saving
  requireCredential: Starting['requireCredential']
  headNodePolicy: HeadNodePolicy
  system: AuditSource
  now: () => number
}

/** A cluster keeps its credential until it is deleted: it may be deployed again. */
export const clustersMadeWith: UsedBy = async (db, credentialIds) =>
  (await store.madeWith(db, credentialIds)).map((cluster) => ({ kind: 'cluster', ...cluster }))

export type Clusters = ReturnType<typeof makeClusters>
export function makeClusters(options: Options) {
  const { db, secrets, saving, headNodePolicy } = options
  const { queueRun, start } = makeStarting(options)

  const { find, mine } = finders('cluster', (id, viewer) => store.find(db, id, viewer))

  const views = makeViews(options)
  const view = async (me: Caller, id: string): Promise<Cluster> =>
    (await views(me, [await find(me, id)]))[0] ?? fail('not_found')

  const attachedOnly = (cluster: StoredCluster): AttachedCluster =>
    isInCloud(cluster) ? fail('wrong_state', { message: `${cluster.name} is in a cloud` }) : cluster
  /** The same, but only for attached clusters. */
  const attached = async (me: Caller, id: string, context: RequestContext): Promise<AttachedCluster> =>
    attachedOnly(await mine(me, id, context))

  const inputContextOf = async (me: Caller) => ({
    byAdmin: isAdmin(me),
    // Programs in these folders run as other people's accounts, so the same rule applies as for runAsAdmin.
    choosesPrograms: isAdmin(me) && !('tokenId' in me),
    privateHeadNodes: await headNodePolicy.privateHeadNodes(),
  })

  const begin = async (
    me: Caller,
    cluster: StoredCluster,
    run: NewClusterRun,
    context: RequestContext,
    startOptions: StartOptions = {},
  ): Promise<Cluster> => {
    await start(cluster, run, me, context, startOptions)
    return view(me, cluster.id)
  }

  const rowOf = (id: string, input: Input, given: Omit<InputContext, 'id'>) => ({
    provider: 'local' as const,
    ...toColumns(input, { id, ...given }, secrets),
  })

  return {
    find,
    mine,
    view,
    /** The first cluster, so that new users can run something right away: this machine, open to everyone. */
    async insertFirst(tx: Transaction, owner: Pick<Caller, 'id' | 'username'>, cores: number): Promise<void> {
      const virtualNodes = { prefix: 'node', count: 1, cores, gpus: 0 }
      const input: Input = {
        name: 'This machine',
        description: 'The machine that the console itself runs on',
        collaborators: [],
        forEveryone: true,
        data: { manager: 'none', transport: 'local', virtualNodes, partition: '', slurmConf: '' },
      }
      const id = newId()
      const given = { byAdmin: true, choosesPrograms: true, privateHeadNodes: false }
      await saving.insert(tx, id, owner.id, rowOf(id, input, given))
      await queueRun(tx, id, { action: 'deploy' }, owner, 'saved')
    },
    idsVisibleTo: (me: Caller) =>
      isAdmin(me) ? Promise.resolve([]) : store.idsVisibleTo(db.kysely, viewerOf(me)),

    visibleIds: (me: Caller) => store.idsVisibleTo(db.kysely, viewerOf(me)),
    names: (me: Caller) => store.namesVisibleTo(db.kysely, viewerOf(me)),

    async list(me: Caller, page: Page): Promise<{ items: Cluster[]; next: string | null }> {
      const { items, next } = await visiblePage(db.kysely, me, page, store.list)
      return { items: await views(me, items), next }
    },

    async create(me: Caller, input: Input, context: RequestContext): Promise<Cluster> {
      const given = await inputContextOf(me)
      return view(me, await saving.create(me, input, context, (id) => rowOf(id, input, given)))
    },

    async update(me: Caller, input: Input & { id: string }, context: RequestContext): Promise<Cluster> {
      const { id } = input
      const found = await attached(me, id, context)
      const given = await inputContextOf(me)
      const { head } = input.data
      if (head && !sameHost(found, head)) await headNodePolicy.count(me)
      await saving.edit(me, found, input, context, async (locked, tx) => {
        const before = attachedOnly(locked)
        const changed = toColumns(input, { id, ...given, before }, secrets)
        if (!isClusterActionAllowed('operate', before.state)) return changed
        requireSameManager(changed, before)
        if (changesConnection(changed, before)) await queueRun(tx, id, { action: 'update' }, me, before.state)
        return changed
      })
      return view(me, id)
    },

    setCollaborators: makeShare('clusters', {
      mine,
      view,
      async notify(tx, { id }, { people }) {
        await notifySharing(tx, id, people)
        await notifyClustersChanged(tx, id)
      },
    }),

    remove: async (me: Caller, id: string, context: RequestContext): Promise<void> =>
      saving.remove(await mine(me, id, context), me, context),

    begin,
    start,

    /** A cluster to test: a saved one, or one from an unsaved form. */
    async toTest(
      me: Caller,
      input: { id?: string; cluster?: Input },
      context: RequestContext,
    ): Promise<ConnectionTarget> {
      const saved = input.id === undefined ? undefined : await attached(me, input.id, context)
      if (!input.cluster)
        return saved ?? fail('bad_input', { fields: { cluster: 'Choose a cluster to test' } })
      const id = saved?.id ?? newId()
      const given = { id, ...(await inputContextOf(me)), ...(saved && { before: saved }) }
      return draft(toColumns(input.cluster, given, secrets), id, me, saved)
    },

    setPlaces: makePlaces({ mine, view }),
    ...makeRecords(db, secrets, find, mine),
  }
}
