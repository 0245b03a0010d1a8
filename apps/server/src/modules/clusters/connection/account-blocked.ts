import { clusterMay, clusterMayNot } from '@flotilla/contract/clusters/states'
import type { Queryable } from '../../../db/database'
import type { Caller } from '../../../http/caller'
import { isStranger } from '../accounts/store'
import { notAcceptedReason } from './acceptance'
import { isRoot, mappedAccount } from '../accounts/this-machine'
import type { StoredCluster } from '../stored-cluster'
import { connectionSettings } from './settings'

/** Machines of our own making, on which accounts are made and removed. */
export const isOurs = (cluster: StoredCluster): boolean =>
  cluster.provider !== 'local' && connectionSettings(cluster).transport === 'ssh'

/**
 * Why a user may not act as the account that has their name. Anyone can register under any name: someone who knows them
 * has to share such a cluster with them by name first.
 */
async function namedAccountBlockedReason(
  db: Queryable,
  cluster: StoredCluster,
  me: Caller,
): Promise<string | null> {
  if (me.role.includes('admin') || cluster.owner_id === me.id) return null
  const stranger = await isStranger(db, cluster.id, me.id)
  return stranger
    ? `You made your account yourself: the owner of this cluster has to share it with you before you act as ${me.username} there`
    : null
}

type Options = {
  db: Queryable
  /** Why people who are not admins cannot be kept apart on this machine, or null when they can. */
  isolationBlockedReason: string | null
  /** Why a person may not use the console's own machine, or null. */
  machineBlockedReason: (userId: string) => Promise<string | null>
}
/** Why this person has no account on the cluster, as far as can be told without asking it. */
async function accountBlockedReason(
  { db, isolationBlockedReason, machineBlockedReason }: Options,
  cluster: StoredCluster,
  me: Caller,
): Promise<string | null> {
  const { transport, manager, head } = connectionSettings(cluster)
  const notAccepted = await notAcceptedReason(db, cluster, me)
  if (notAccepted !== null) return notAccepted
  // An admin may always use the account that looks after the cluster.
  if (me.role.includes('admin')) return null
  const byName = transport === 'ssh' ? !isOurs(cluster) && head?.accounts === 'sudo' : manager !== 'none'
  const notNamed = byName ? await namedAccountBlockedReason(db, cluster, me) : null
  if (notNamed !== null || transport === 'ssh') return notNamed
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
export function makeBlockedReasons(options: Options) {
  const account = (cluster: StoredCluster, me: Caller) => accountBlockedReason(options, cluster, me)
  const submit = (cluster: StoredCluster, me: Caller): Promise<string | null> =>
    clusterMay('submit', cluster.state)
      ? account(cluster, me)
      : Promise.resolve(clusterMayNot('submit', cluster.state))
  return {
    accountBlockedReason: account,
    submitBlockedReason: submit,
    /** Why nothing more may be started there for a person: that can change while a submission is on its way. */
    startBlockedReason: (cluster: StoredCluster, userId: string): Promise<string | null> =>
      connectionSettings(cluster).transport === 'local'
        ? options.machineBlockedReason(userId)
        : Promise.resolve(null),
    async blockedReasons(cluster: StoredCluster, me: Caller) {
      const { state } = cluster
      const blocked = clusterMay('reach', state) ? await account(cluster, me) : null
      const submitBlockedReason = clusterMay('submit', state) ? blocked : clusterMayNot('submit', state)
      return { submitBlockedReason, accountBlockedReason: blocked }
    },
  }
}
