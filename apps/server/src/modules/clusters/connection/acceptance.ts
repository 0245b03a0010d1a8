import { isInCloud } from '@flotilla/contract/clusters/entity'
import { createHash } from 'node:crypto'
import {
  acceptanceBlockedReason,
  type Acceptance,
  type AcceptanceInput,
} from '@flotilla/contract/clusters/acceptance'
import type * as z from 'zod/mini'
import type { Database, Queryable } from '../../../db/database'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { notifyIdentityChanged } from '../../../live/live'
import { within } from '../../../timing/within'
import { record, subjectOf } from '../../activities/activities'
import * as store from '../store'
import * as acceptances from './store'
import type { StoredCluster } from '../stored-cluster'
import { notifyClustersChanged, notifySeats } from '../notify'
import { viewerOf } from '../../sharing/sharing'
import { connectionSettings } from './settings'

/** A machine that does not answer must not keep anyone from declining the cluster. */
const END_MS = 10_000

/** A digest of what determines where and by whom a person's account is used; null until the host key is known. */
function connectionOf(cluster: StoredCluster, ownerId: string): string | null {
  const { head } = connectionSettings(cluster)
  if (!head || cluster.host_key === null) return null
  const { host, port, username, accounts } = head
  const parts = [ownerId, host, port, username, accounts, cluster.host_key]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** Whether the owner of the cluster decides which machine other people's accounts are used on. */
const isAttachedByOwner = (cluster: StoredCluster): boolean =>
  !isInCloud(cluster) && cluster.data.transport === 'ssh'

/**
 * What the person decided about exactly this connection; null where no decision is needed. The owner and the decision
 * are read again, as the cluster may have been looked up a while ago.
 */
export async function acceptanceOf(
  db: Queryable,
  cluster: StoredCluster,
  person: { id: string },
): Promise<Acceptance | null> {
  if (!isAttachedByOwner(cluster)) return null
  const now = (await acceptances.acceptance(db, cluster.id, person.id)) ?? {
    // A cluster that is only being tested is not in the database.
    owner_id: cluster.owner_id,
    owner_is_admin: cluster.owner_is_admin,
    accepted: null,
    shared: false,
    is_participant: false,
  }
  // The account of a workshop seat holds nothing of the person's own and exists only for this cluster.
  if (now.is_participant) return null
  if (now.owner_id === person.id || now.owner_is_admin) return null
  const connection = connectionOf(cluster, now.owner_id)
  const accepted = connection !== null && now.accepted === connection
  return { accepted, changed: !accepted && now.accepted !== null, shared: now.shared, connection }
}

/** Why nothing may run as the person's account on this cluster, or null. */
export async function notAcceptedReason(
  db: Queryable,
  cluster: StoredCluster,
  person: { id: string },
): Promise<string | null> {
  const acceptance = await acceptanceOf(db, cluster, person)
  return acceptance && acceptanceBlockedReason(acceptance, cluster.owner)
}

export type Acceptances = ReturnType<typeof makeAcceptances>
type OnDecline = (userId: string, clusterId: string) => Promise<void>
export const makeAcceptances = (db: Database, now: () => number, onDecline: OnDecline) => ({
  /** Accepts exactly the connection that the person reviewed, or declines the cluster. */
  async decide(
    me: Caller,
    id: string,
    input: z.output<typeof AcceptanceInput>,
    context: RequestContext,
  ): Promise<void> {
    if (!(await store.find(db, id, viewerOf(me)))) fail('not_found')
    // What the person runs there ends while the console may still act as their account.
    if (!input.accept) await within(END_MS, onDecline(me.id, id))
    await context.transaction(async (tx) => {
      await store.lock(tx, id)
      const cluster = (await store.findAny(tx, id)) ?? fail('not_found')
      const request =
        (await acceptanceOf(tx, cluster, me)) ??
        fail('wrong_state', { message: 'This cluster does not need to be accepted' })
      if (!input.accept) await acceptances.decline(tx, id, me.id)
      else if (request.connection === input.connection)
        await acceptances.accept(tx, id, me.id, input.connection, new Date(now()))
      else
        fail('wrong_state', {
          message:
            'The connection settings of this cluster have changed. Nothing was accepted: review them again.',
        })
      await record(tx, me, context, {
        action: input.accept ? 'sharing accepted' : 'sharing declined',
        subject: subjectOf('cluster', cluster),
        detail: connectionSettings(cluster).head?.host ?? '',
      })
      await notifyIdentityChanged(tx, me.id)
      if (!input.accept) await notifySeats(tx, id)
      await notifyClustersChanged(tx, id)
    })
  },
})
