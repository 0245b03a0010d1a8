import { isAdmin, isParticipant } from '@flotilla/contract/access'
import type { Page } from '@flotilla/contract/lists'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { sealContext } from '../../secrets/sealed-values'
import type { Secrets } from '../../secrets/secrets'
import { record, subjectOf } from '../activities/activities'
import * as store from './store'
import type { StoredCluster } from './stored-cluster'
import { connectionSettings } from './connection/settings'

/** Excludes the simulated cloud's machines, which belong to the person who deployed them. */
const isThisMachine = (cluster: StoredCluster): boolean =>
  cluster.provider === 'local' && connectionSettings(cluster).transport === 'local'

type Find = (me: Caller, id: string) => Promise<StoredCluster>
/** Only for its owner, and for admins who request admin scope. */
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
    // They name addresses and people.
    if (isParticipant(me)) return []
    const rows = await store.logs(
      db.kysely,
      id,
      type,
      Math.floor(Math.min(Math.max(0, after), Number.MAX_SAFE_INTEGER)),
      search,
    )
    return rows.map((row) => ({ ...row, time: row.time.getTime() }))
  },

  async activities(me: Caller, id: string, page: Page) {
    const cluster = await find(me, id)
    // Unrelated people share this machine, and participants see no one else's anywhere.
    const ownOnly = !isAdmin(me) && (isParticipant(me) || isThisMachine(cluster) || cluster.for_everyone)
    if (page.cursor !== undefined && !/^\d{1,15}$/.test(page.cursor))
      fail('bad_input', { fields: { cursor: 'is not a cursor of this list' } })
    const rows = await store.activities(db.kysely, id, {
      limit: page.limit + 1,
      cursor: page.cursor,
      ...(ownOnly && { actorId: me.id }),
    })
    const items = rows
      .slice(0, page.limit)
      // For a job, the audit trail's detail names the cluster; show which job it was instead.
      .map(({ time, actor, action, subject, detail }) => ({
        time: time.getTime(),
        actor,
        action,
        detail: subject.startsWith('job ') ? subject.slice('job '.length) : detail,
      }))
    return { items, next: rows.length > page.limit ? String(rows[page.limit - 1]?.id) : null }
  },
})
