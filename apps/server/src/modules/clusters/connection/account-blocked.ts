import { isInCloud } from '@flotilla/contract/clusters/entity'
import { isAdmin } from '@flotilla/contract/access'
import { isClusterActionAllowed, clusterBlockedReason } from '@flotilla/contract/clusters/states'
import type { Queryable } from '../../../db/database'
import type { Caller } from '../../../http/caller'
import { isStranger, unixAccount } from '../accounts/store'
import { notAcceptedReason } from './acceptance'
import { isRoot, mappedAccount } from '../accounts/this-machine'
import type { StoredCluster } from '../stored-cluster'
import { platformOf } from './platform'
import { connectionSettings } from './settings'
import { isMine } from '../../sharing/sharing'

/** Machines that the console created, on which it creates and removes accounts. */
export const isOurs = (cluster: StoredCluster): boolean =>
  isInCloud(cluster) && cluster.deployed !== null && platformOf(cluster.deployed).createsAccounts

/** The account's name on attached clusters is the person's, unless an admin mapped them to another. */
export async function accountNameOn(
  db: Queryable,
  cluster: StoredCluster,
  { id, username }: { id: string; username: string },
): Promise<string> {
  const { transport, manager } = connectionSettings(cluster)
  const isNamed = transport === 'ssh' ? !isOurs(cluster) : manager !== 'none'
  return (isNamed ? await unixAccount(db, id) : undefined) ?? username
}

/**
 * Why a user may not act as the account of the same name. Anyone can register under any name, so someone who knows them
 * has to share such a cluster with them by name first.
 */
async function namedAccountBlockedReason(
  db: Queryable,
  cluster: StoredCluster,
  me: Caller,
): Promise<string | null> {
  if (isMine(me, cluster)) return null
  if (!(await isStranger(db, cluster.id, me.id))) return null
  const account = await accountNameOn(db, cluster, me)
  return `You registered your account yourself: the owner of this cluster has to share it with you before you can act as ${account} there`
}

type Options = {
  db: Queryable
  /** Why people who are not admins cannot be isolated on this machine, or null if they can. */
  isolationBlockedReason: string | null
  /** Why a person may not use the console's own machine, or null. */
  machineBlockedReason: (userId: string) => Promise<string | null>
}
/** Why this person has no account on the cluster, as far as is known without connecting to it. */
async function accountBlockedReason(
  { db, isolationBlockedReason, machineBlockedReason }: Options,
  cluster: StoredCluster,
  me: Caller,
): Promise<string | null> {
  const { transport, manager, head } = connectionSettings(cluster)
  const notAccepted = await notAcceptedReason(db, cluster, me)
  if (notAccepted !== null) return notAccepted
  // An admin may always use the cluster's admin account.
  if (isAdmin(me)) return null
  const byName = transport === 'ssh' ? !isOurs(cluster) && head?.accounts === 'sudo' : manager !== 'none'
  const notNamed = byName ? await namedAccountBlockedReason(db, cluster, me) : null
  if (notNamed !== null || transport === 'ssh') return notNamed
  // Attached clusters and the simulated cloud's machines run on this machine too.
  const blocked = await machineBlockedReason(me.id)
  if (blocked !== null) return blocked
  if (isRoot)
    return manager === 'none'
      ? null
      : mappedAccount(await accountNameOn(db, cluster, me)).then(
          () => null,
          (error: Error) => error.message,
        )
  return manager === 'none'
    ? isolationBlockedReason
    : 'The console does not run as root here and cannot act as your account: only admins can use this cluster'
}

/** Why people cannot do something on a cluster, for the server's refusals and the disabled buttons of the page. */
export function makeBlockedReasons(options: Options) {
  const account = (cluster: StoredCluster, me: Caller) => accountBlockedReason(options, cluster, me)
  const submit = (cluster: StoredCluster, me: Caller): Promise<string | null> =>
    isClusterActionAllowed('submit', cluster.state)
      ? account(cluster, me)
      : Promise.resolve(clusterBlockedReason('submit', cluster.state))
  return {
    accountBlockedReason: account,
    submitBlockedReason: submit,
    /** Why a person may not start anything more there: this can change while a submission is in flight. */
    startBlockedReason: (cluster: StoredCluster, userId: string): Promise<string | null> =>
      connectionSettings(cluster).transport === 'local'
        ? options.machineBlockedReason(userId)
        : Promise.resolve(null),
    async blockedReasons(cluster: StoredCluster, me: Caller) {
      const { state } = cluster
      const blocked = isClusterActionAllowed('connect', state) ? await account(cluster, me) : null
      const submitBlockedReason = isClusterActionAllowed('submit', state)
        ? blocked
        : clusterBlockedReason('submit', state)
      return { submitBlockedReason, accountBlockedReason: blocked }
    },
  }
}
