import { clusterMay, clusterMayNot } from '@flotilla/contract/clusters/states'
import type { Queryable } from '../../../db/database'
import type { Caller } from '../../../http/caller'
import { isStranger } from '../accounts/store'
import { notAcceptedReason } from './acceptance'
import { isRoot, mappedAccount } from './accounts'
import type { FoundCluster } from '../store'
import { connectionSettings } from './settings'

/** Machines of our own making, on which accounts are made and removed. */
export const isOurs = (cluster: FoundCluster): boolean =>
  cluster.provider !== 'local' && connectionSettings(cluster).transport === 'ssh'

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
  isolationBlockedReason: string | null
  /** Why a person may not use the console's own machine, or null. */
  machineBlockedReason: (userId: string) => Promise<string | null>
}
/** Why this person has no account on the cluster, as far as can be told without asking it. */
async function whyNoAccount(
  { db, isolationBlockedReason, machineBlockedReason }: Around,
  cluster: FoundCluster,
  me: Caller,
): Promise<string | null> {
  const { transport, manager, head } = connectionSettings(cluster)
  const notAccepted = await notAcceptedReason(db, cluster, me)
  if (notAccepted !== null) return notAccepted
  // An admin may always use the account that looks after the cluster.
  if (me.role.includes('admin')) return null
  const byName = transport === 'ssh' ? !isOurs(cluster) && head?.accounts === 'sudo' : manager !== 'none'
  const why = byName ? await whyNotNamed(db, cluster, me) : null
  if (why !== null || transport === 'ssh') return why
  // Attached clusters and the simulated cloud's machines run on this machine too.
  const blocked = await machineBlockedReason(me.id)
  if (blocked !== null) return blocked
  if (isRoot)
    return manager === 'none'
      ? null
      : mappedAccount(me.username).then(
          () => null,
          (error: Error) => error.message,
        )
  return manager === 'none'
    ? isolationBlockedReason
    : 'The console does not run as root here and cannot act as you: only admins may use this cluster'
}

/** Why people cannot do something on a cluster, for the server that refuses it and the page that says so beside its buttons. */
export function makeWhyNot(around: Around) {
  const account = (cluster: FoundCluster, me: Caller) => whyNoAccount(around, cluster, me)
  const submit = (cluster: FoundCluster, me: Caller): Promise<string | null> =>
    clusterMay('submit', cluster.state)
      ? account(cluster, me)
      : Promise.resolve(clusterMayNot('submit', cluster.state))
  return {
    whyNoAccount: account,
    whyNoSubmit: submit,
    /** Why nothing more may be started there for a person: that can change while a submission is on its way. */
    whyNoStart: (cluster: FoundCluster, userId: string): Promise<string | null> =>
      connectionSettings(cluster).transport === 'local'
        ? around.machineBlockedReason(userId)
        : Promise.resolve(null),
    async blockedReasons(cluster: FoundCluster, me: Caller) {
      const { state } = cluster
      const accountBlockedReason = clusterMay('reach', state) ? await account(cluster, me) : null
      const whyNoSubmit = clusterMay('submit', state) ? accountBlockedReason : clusterMayNot('submit', state)
      return { whyNoSubmit, accountBlockedReason }
    },
  }
}
