import { isAdmin } from '@flotilla/contract/access'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { isClusterActionAllowed } from '@flotilla/contract/clusters/states'
import type { Page } from '@flotilla/contract/lists'
import type { Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { AuditSource, Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import { notifyIdentityChanged } from '../../live/live'
import type { Queue } from '../../queue/queue'
import { sealContext } from '../../secrets/sealed-values'
import type { Secrets } from '../../secrets/secrets'
import { record, subjectOf } from '../activities/activities'
import { makeSshKey } from '../../ssh-key'
import type { UsedBy } from '../credentials/credentials'
import { finders, makeShare, viewerOf, visiblePage } from '../sharing/sharing'
import { type Connections } from './connection/connections'
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
} from './input'
import { makePlaces } from './places'
import { makeRecords } from './records'
import type { RunAction } from './runs/run-actions'
import { makeStarting, requireState, type StartOptions, type Starting } from './runs/starting'
import {
  clusterChanges,
  directoryChange,
  notifySharing,
  share,
  shareWithDirectory,
  type DirectoryLookup,
} from './sharing'
import * as store from './store'
import type { AttachedCluster, StoredCluster } from './stored-cluster'
import { notifyClustersChanged } from './notify'
import { makeViews, type ViewOptions } from './views'

type Options = ViewOptions & {
  queue: Queue
  secrets: Secrets
  connections: Connections
  requireCredential: Starting['requireCredential']
  headNodePolicy: HeadNodePolicy
  ldap: DirectoryLookup
  system: AuditSource
  now: () => number
}
/** A cluster keeps its credential until it is deleted: it may be deployed again. */
export const clustersMadeWith: UsedBy = async (db, credentialIds) =>
  (await store.madeWith(db, credentialIds)).map((cluster) => ({ kind: 'cluster', ...cluster }))

export type Clusters = ReturnType<typeof makeClusters>
export function makeClusters(options: Options) {
  const { db, secrets, connections, headNodePolicy, ldap, now } = options
  const { queueRun, start } = makeStarting(options)

  const { find, mine } = finders('cluster', (id, viewer) => store.find(db, id, viewer))

  const views = makeViews(options)
  const view = async (me: Caller, id: string): Promise<Cluster> =>
    (await views(me, [await find(me, id)]))[0] ?? fail('not_found')

  const attachedOnly = (cluster: StoredCluster): AttachedCluster =>
    cluster.provider === 'local' ? cluster : fail('wrong_state', { message: `${cluster.name} is in a cloud` })
  /** The same, but only for attached clusters. */
  const attached = async (me: Caller, id: string, context: RequestContext): Promise<AttachedCluster> =>
    attachedOnly(await mine(me, id, context))

  const inputContextOf = async (me: Caller) => ({
    byAdmin: isAdmin(me),
    // These programs run as other people's accounts, as with runAsAdmin.
    choosesPrograms: isAdmin(me) && !('tokenId' in me),
    privateHeadNodes: await headNodePolicy.privateHeadNodes(),
  })

  const begin = async (
    me: Caller,
    id: string,
    action: RunAction,
    context: RequestContext,
    startOptions: StartOptions = {},
  ): Promise<Cluster> => {
    await start(await mine(me, id, context), action, me, context, startOptions)
    return view(me, id)
  }

  /** Inserts a row with its own key pair and notifies everyone who can see it. */
  const insertRow = async (
    tx: Transaction,
    id: string,
    ownerId: string,
    row: Omit<store.NewCluster, 'id' | 'owner_id' | 'state' | 'state_since' | 'created_at'>,
  ): Promise<void> => {
    const pair = makeSshKey(`flotilla-${id.slice(0, 6)}`)
    await store.insert(tx, {
      id,
      owner_id: ownerId,
      state: 'saved',
      state_since: new Date(now()),
      public_key: pair.publicKey,
      sealed_private_key: secrets.seal(pair.privateKey, sealContext.clusterKey(id)),
      created_at: new Date(now()),
      ...row,
    })
    await notifyIdentityChanged(tx, ownerId)
    await notifyClustersChanged(tx, id)
  }
  const insert = async (
    tx: Transaction,
    ownerId: string,
    input: Input,
    given: Omit<InputContext, 'id'>,
  ): Promise<string> => {
    const id = newId()
    await insertRow(tx, id, ownerId, { provider: 'local', ...toColumns(input, { id, ...given }, secrets) })
    return id
  }

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
      const id = await insert(tx, owner.id, input, {
        byAdmin: true,
        choosesPrograms: true,
        privateHeadNodes: false,
      })
      await queueRun(tx, id, 'deploy', owner, 'saved')
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
      const directory = await directoryChange(ldap, input.ldapCollaborators)
      const given = await inputContextOf(me)
      const id = await context.transaction(async (tx) => {
        const made = await insert(tx, me.id, input, given)
        await share(tx, made, input.collaborators)
        await shareWithDirectory(tx, ldap, made, directory)
        await record(tx, me, context, {
          action: 'created',
          subject: { kind: 'cluster', id: made, name: input.name },
        })
        return made
      })
      return view(me, id)
    },

    async update(me: Caller, input: Input & { id: string }, context: RequestContext): Promise<Cluster> {
      const found = await attached(me, input.id, context)
      const directory = await directoryChange(ldap, input.ldapCollaborators, found.ldap_collaborators)
      const given = await inputContextOf(me)
      const { head } = input.data
      if (head && !sameHost(found, head)) await headNodePolicy.count(me)
      await context.transaction(async (tx) => {
        const locked = (await store.lock(tx, input.id)) ?? fail('not_found')
        requireState('edit', locked.state)
        // Read again under the lock, so that changes an admin saved in the meantime are not undone.
        const before = attachedOnly((await store.findAny(tx, input.id)) ?? fail('not_found'))
        const changed = toColumns(input, { id: input.id, ...given, before }, secrets)
        const inUse = isClusterActionAllowed('operate', locked.state)
        if (inUse) requireSameManager(changed, before)
        await store.update(tx, input.id, changed)
        if (inUse && changesConnection(changed, before))
          await queueRun(tx, input.id, 'update', me, locked.state)
        const shares = await share(tx, before.id, input.collaborators)
        await shareWithDirectory(tx, ldap, input.id, directory)
        await record(tx, me, context, {
          action: 'edited',
          subject: subjectOf('cluster', input),
          changes: [...clusterChanges(before, changed), ...shares],
        })
        await notifyClustersChanged(tx, input.id)
      })
      return view(me, input.id)
    },

    setCollaborators: makeShare('clusters', {
      mine,
      view,
      async notify(tx, { id }, { people }) {
        await notifySharing(tx, id, people)
        await notifyClustersChanged(tx, id)
      },
    }),

    async remove(me: Caller, id: string, context: RequestContext): Promise<void> {
      const cluster = await mine(me, id, context)
      await context.transaction(async (tx) => {
        const locked = (await store.lock(tx, id)) ?? fail('not_found')
        requireState('remove', locked.state)
        await notifyClustersChanged(tx, id)
        await store.remove(tx, id)
        await record(tx, me, context, {
          action: 'deleted',
          subject: subjectOf('cluster', cluster),
        })
      })
      await connections.reset(id)
      await connections.removeSpool(id)
    },

    begin,
    start,
    insertRow,

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
