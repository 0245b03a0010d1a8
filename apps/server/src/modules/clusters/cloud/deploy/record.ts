import type { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { Database } from '../../../../db/database'
import { fail } from '../../../../fail'
import type { Caller, RequestContext } from '../../../../http/caller'
import { newId } from '../../../../ids'
import { record } from '../../../activities/activities'
import type { Clusters } from '../../clusters'
import { collaboratorIds } from '../../../sharing/sharing'
import { share } from '../../sharing'
import * as clusterStore from '../../store'
import type { FoundCluster } from '../../store'
import { requireState } from '../../runs/starting'
import { tellClustersChanged } from '../../watch/notify'
import { sealNewSecrets } from './deployment'
import { refuseImpossible, smallerDisks } from '../input'
import { withSealedKey } from '../rhel-key'
import { dataOf } from '../stored'
import { hasState, type Surroundings } from './deps'

export type RecordOptions = Surroundings & {
  db: Database
  clusters: Clusters
  mayUseCredential(me: Caller, id: string): Promise<boolean>
  /** Refuses when the owner of the cluster may not use its credential any more. */
  requireCredential(cluster: FoundCluster): Promise<void>
  mayUseStack(me: Caller, id: string, provider: string): Promise<boolean>
  providersFor(me: Caller): Promise<string[]>
}

/** Where a cluster is: in another place all of it would have to be made anew. */
const places = ['region_id', 'zone_id', 'availability_domain'] as const

/** What a cluster in a cloud is to be, written down: nothing is made by it, and nothing costs. */
export function makeCloudRecord(options: RecordOptions) {
  const { db, clusters, secrets } = options

  /** Only what this person may use, and only what the provider can do. */
  const check = async (me: Caller, input: CloudClusterInput, before?: FoundCluster): Promise<void> => {
    const catalogue = await options.catalogue(input.provider, input.data.network.region_id)
    refuseImpossible(input, catalogue, before)
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
  const columns = (input: CloudClusterInput, id: string, before?: FoundCluster) => ({
    name: input.name,
    description: input.description,
    for_everyone: input.forEveryone,
    credential_id: input.credential_id,
    stack_id: input.stack_id,
    info: JSON.stringify(input.info),
    ...withSealedKey(secrets, input.data, id, before),
  })

  const cloudOnly = async (me: Caller, id: string, context: RequestContext): Promise<FoundCluster> => {
    const cluster = await clusters.mine(me, id, context)
    if (cluster.provider === 'local')
      fail('wrong_state', {
        message: 'This cluster is made of machines that exist: there is no cloud to ask',
      })
    return cluster
  }

  return {
    cloudOnly,

    async create(me: Caller, input: CloudClusterInput, context: RequestContext): Promise<Cluster> {
      await check(me, input)
      const collaborators = await collaboratorIds(db.kysely, input.collaborators, me.id)
      const id = newId()
      await context.transaction(async (tx) => {
        await clusters.insertRow(tx, id, me.id, {
          provider: input.provider,
          sealed_secrets: sealNewSecrets(secrets, id),
          ...columns(input, id),
        })
        await share(tx, id, collaborators)
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
      const collaborators = await collaboratorIds(db.kysely, input.collaborators, before.owner_id)
      await context.transaction(async (tx) => {
        const locked = (await clusterStore.lock(tx, input.id)) ?? fail('not_found')
        requireState('edit', locked.state)
        const moved = {
          credential_id: input.credential_id !== before.credential_id,
          ...Object.fromEntries(
            places.map((place) => [
              `data.network.${place}`,
              input.data.network[place] !== dataOf(before).network[place],
            ]),
          ),
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
          columns({ ...input, data: { ...input.data, packages } }, input.id, before),
        )
        await share(tx, input.id, collaborators, before.collaborators)
        await record(tx, me, context, {
          action: 'edited',
          subject: `cluster ${input.name}`,
          clusterId: input.id,
        })
        await tellClustersChanged(tx, input.id)
      })
      return clusters.view(me, input.id)
    },
  }
}
