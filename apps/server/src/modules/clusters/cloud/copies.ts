import type { ClusterState } from '@flotilla/contract/clusters/states'
import type { Price } from '@flotilla/contract/clouds/providers'
import type { Database, Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { AuditSource, Caller } from '../../../http/caller'
import type { Secrets } from '../../../secrets/secrets'
import type { Saving } from '../saving/saving'
import * as store from '../store'
import { requireCloud, type CloudCluster } from '../stored-cluster'
import type { Cloud } from './cloud'
import { openRhelKey } from './workspace/rhel-key'

type Options = {
  db: Database
  secrets: Secrets
  cloud: Cloud
  saving: Pick<Saving, 'remove'>
  system: AuditSource
}

/** Clusters that are made from another one, and that the console deploys, destroys and deletes on its own. */
export function makeCopies({ db, secrets, cloud, saving, system }: Options) {
  const asConsole = {
    ...system,
    transaction: <T>(work: (tx: Transaction) => Promise<T>) => db.transaction(work),
  }
  const find = async (id: string): Promise<CloudCluster> =>
    requireCloud((await store.findAny(db.kysely, id)) ?? fail('not_found'))

  /** The input that would create the template again. */
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
    /** Creates a copy for a person who may use what the template uses. `also` is done in the same transaction. */
    async create(
      owner: Caller,
      templateId: string,
      name: string,
      also: (tx: Transaction, id: string) => Promise<void>,
    ): Promise<void> {
      const template = await find(templateId)
      await cloud.create(owner, inputOf(template, name), asConsole, also)
    },
    stateOf: async (id: string): Promise<{ state: ClusterState; cause: string | null } | null> =>
      (await store.findAny(db.kysely, id)) ?? null,
    deploy: async (id: string): Promise<void> => cloud.deployUnattended(await find(id)),
    destroy: async (id: string): Promise<void> => cloud.destroyUnattended(await find(id)),
    remove: async (id: string): Promise<void> => saving.remove(await find(id), null, asConsole),
    /** The price of one copy with all of its nodes up. */
    price: async (templateId: string): Promise<Price> => {
      const template = await find(templateId)
      return cloud.price(inputOf(template, template.name))
    },
  }
}
