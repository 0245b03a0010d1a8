import { isAdmin, isParticipant } from '@flotilla/contract/access'
import type { Page } from '@flotilla/contract/lists'
import { readPage, NUMBER_ID } from '../../db/cursors'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { sealContext } from '../../secrets/sealed-values'
import type { Secrets } from '../../secrets/secrets'
import { record, subjectOf } from '../activities/activities'
import * as store from './store'
import { isThisMachine, type StoredCluster } from './stored-cluster'

type Find = (me: Caller, id: string) => Promise<StoredCluster>
/** Finds a cluster only for its owner, and for admins who request admin scope. */
type FindMine = (me: Caller, id: string, context: RequestContext) => Promise<StoredCluster>

/** What is stored alongside a cluster, for those who may see it: its key, its logs and its activities. */
export const makeRecords = (db: Database, secrets: Secrets, find: Find, mine: FindMine) => ({
  /** The private key of the cluster's own pair. */
  async privateKey(
    me: Caller,
    id: string,
    context: RequestContext,
  ): Promise<{ name: string; content: string }> {
    const cluster = await mine(me, id, context)
    if (!cluster.sealed_private_key) return fail('not_found')
    await db.transaction((tx) =>
      record(tx, me, context, {
        action: 'private key downloaded',
        subject: subjectOf('cluster', cluster),
        detail: cluster.owner_id === me.id ? 'by its owner' : `by an admin; the owner is ${cluster.owner}`,
      }),
    )
    return {
      name: `${cluster.name}.pem`,
      content: secrets.open(cluster.sealed_private_key, sealContext.clusterKey(id)).toString(),
    }
  },

  async logs(me: Caller, id: string, type: string, after: number, search: string | undefined) {
    await find(me, id)
    // The logs contain addresses and names of people.
    if (isParticipant(me)) return []
    return store.logs(db.kysely, id, type, after, search)
  },

  async activities(me: Caller, id: string, page: Page) {
    const cluster = await find(me, id)
    // Unrelated people share this machine, and participants see no one else's anywhere.
    const ownOnly = !isAdmin(me) && (isParticipant(me) || isThisMachine(cluster) || cluster.for_everyone)
    const { items, next } = await readPage(
      page,
      (limit, after) => store.activities(db.kysely, id, ownOnly ? me.id : undefined, limit, after),
      (row) => ({ at: row.time, id: row.id }),
      NUMBER_ID,
    )
    const views = items.map(({ time, actor, action, subject, detail }) => ({
      time: time.getTime(),
      actor,
      action,
      // For a job, the audit trail's detail names the cluster; show which job it was instead.
      detail: subject.startsWith('job ') ? subject.slice('job '.length) : detail,
    }))
    return { items: views, next }
  },
})
