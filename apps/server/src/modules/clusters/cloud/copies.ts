import type { ClusterState } from '@flotilla/contract/clusters/states'
import type { Price } from '@flotilla/contract/clouds/providers'
import type { Database, Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { AuditSource, Caller } from '../../../http/caller'
import type { Secrets } from '../../../secrets/secrets'
import { record, subjectOf } from '../../activities/activities'
import { notifyClustersChanged } from '../notify'
import { requireState } from '../runs/starting'
import * as store from '../store'
import { requireCloud, type CloudCluster } from '../stored-cluster'
import type { Cloud } from './cloud'
import { openRhelKey } from './workspace/rhel-key'

type Options = {
  db: Database
  secrets: Secrets
  cloud: Cloud
  connections: { reset(id: string): Promise<unknown>; removeSpool(id: string): Promise<unknown> }
  system: AuditSource
}

/** Clusters that are made from another one, and that the console deploys, destroys and deletes on its own. */
export function makeCopies({ db, secrets, cloud, connections, system }: Options) {
  const find = async (id: string): Promise<CloudCluster> =>
    requireCloud((await store.findAny(db.kysely, id)) ?? fail('not_found'))

  /** What the template would be if it were entered again. */
  const inputOf = (template: CloudCluster, name: string) => ({
    name,
    description: `Copy of ${template.name}`,
    provider: template.provider,
    credential_id:
      template.credential_id ?? fail('wrong_state', { message: 'The template has no credential' }),
    stack_id: template.stack_id,
    collaborators: [],
    forEveryone: false,
    info: template.info,
    data: { ...template.data, rhel_activation_key: openRhelKey(secrets, template) },
  })

  return {
    /** For this person, who must be allowed to use what the template uses. `also` is done in the same transaction. */
    async create(
      owner: Caller,
      templateId: string,
      name: string,
      also: (tx: Transaction, id: string) => Promise<void>,
    ): Promise<void> {
      const template = await find(templateId)
      const context = {
        ...system,
        transaction: <T>(work: (tx: Transaction) => Promise<T>) => db.transaction(work),
      }
      await cloud.create(owner, inputOf(template, name), context, also)
    },
    stateOf: async (id: string): Promise<{ state: ClusterState; cause: string | null } | null> =>
      (await store.findAny(db.kysely, id)) ?? null,
    deploy: async (id: string): Promise<void> => cloud.deployUnattended(await find(id)),
    destroy: async (id: string): Promise<void> => cloud.destroyUnattended(await find(id)),
    async remove(id: string): Promise<void> {
      const cluster = await find(id)
      await db.transaction(async (tx) => {
        const locked = (await store.lock(tx, id)) ?? fail('not_found')
        requireState('remove', locked.state)
        await notifyClustersChanged(tx, id)
        await store.remove(tx, id)
        await record(tx, null, system, { action: 'deleted', subject: subjectOf('cluster', cluster) })
      })
      await connections.reset(id)
      await connections.removeSpool(id)
    },
    /** Of one copy with all of its nodes up. */
    price: async (templateId: string): Promise<Price> => {
      const template = await find(templateId)
      return cloud.price(inputOf(template, template.name))
    },
  }
}
