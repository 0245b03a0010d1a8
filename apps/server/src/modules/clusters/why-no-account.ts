import type { Queryable } from '../../db/database'
import type { Caller } from '../../http/caller'
import { isStranger } from '../accounts/store'
import { notAcceptedReason } from './acceptance'
import { isRoot, mappedAccount } from './accounts'
import type { FoundCluster } from './store'
import { wayOf } from './way'

/** Machines of our own making, on which accounts are made and removed. */
export const isOurs = (cluster: FoundCluster): boolean =>
  cluster.provider !== 'local' && wayOf(cluster).transport === 'ssh'

/**
 * Why somebody may not act as the account that has their name. Anybody can register under any name: somebody who knows
 * them has to share such a cluster with them by name first.
 */
async function whyNotNamed(db: Queryable, cluster: FoundCluster, me: Caller): Promise<string | null> {
  if (me.role.includes('admin') || cluster.owner_id === me.id) return null
  const stranger = await isStranger(db, cluster.id, me.id)
  return stranger
    ? `You made your account yourself: the owner of this cluster has to share it with you before you act as ${me.username} there`
    : null
}

type Around = {
  db: Queryable
  /** Why people who are not admins cannot be kept apart on this machine, or null when they can. */
  whyNotIsolated: string | null
}
/** Why this person has no account on the cluster, as far as can be told without asking it. */
export async function whyNoAccount(
  { db, whyNotIsolated }: Around,
  cluster: FoundCluster,
  me: Caller,
): Promise<string | null> {
  const { transport, manager, head } = wayOf(cluster)
  const notAccepted = await notAcceptedReason(db, cluster, me)
  if (notAccepted !== null) return notAccepted
  // An admin may always use the account that looks after the cluster.
  if (me.role.includes('admin')) return null
  const byName = transport === 'ssh' ? !isOurs(cluster) && head?.accounts === 'sudo' : manager !== 'none'
  const why = byName ? await whyNotNamed(db, cluster, me) : null
  if (why !== null || transport === 'ssh') return why
  if (isRoot)
    return manager === 'none'
      ? null
      : mappedAccount(me.username).then(
          () => null,
          (error: Error) => error.message,
        )
  return manager === 'none'
    ? whyNotIsolated
    : 'The console does not run as root here and cannot act as you: only admins may use this cluster'
}
