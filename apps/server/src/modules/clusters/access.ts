import { isInCloud } from '@flotilla/contract/clusters/entity'
import { isAdmin } from '@flotilla/contract/access'
import type { Manager } from '@flotilla/contract/clusters/inputs'
import { isClusterActionAllowed, clusterBlockedReason } from '@flotilla/contract/clusters/states'
import type { Database } from '../../db/database'
import { fingerprintOf } from '../../db/cluster-fingerprint'
import { fail, isPermanent } from '../../fail'
import type { Caller } from '../../http/caller'
import { isOurs, type Query, type Scheduler, type SubmissionOwner } from '../../schedulers/scheduler'
import { query, asFailure, queryInTurn, withUserFacingErrors } from './commands/query'
import { accountNameOn } from './connection/account-blocked'
import type { Connections } from './connection/connections'
import { openJobPort } from './connection/job-ports'
import type { ClusterConnection } from './commands/connection'
import type { OwnConnections } from './connection/own-connections'
import type { Poller } from './watch/poller'
import * as store from './store'
import type { StoredCluster } from './stored-cluster'
import { connectionSettings } from './connection/settings'
import { viewerOf } from '../sharing/sharing'

type Options = {
  db: Database
  connections: Connections
  poller: Pick<Poller, 'kick' | 'expect'>
  find(me: Caller, id: string): Promise<StoredCluster>
  /** A person's own private key. */
  keyOf(userId: string, username: string): Promise<string>
  own: Pick<OwnConnections, 'worked'>
}
/** Which cluster a submission runs on, and as whom. */
type Placed = {
  cluster_id: string | null
  cluster_name: string
  user_id: string | null
  submitted_by: string
  run_as_admin: boolean
}

type Numbered = Placed & SubmissionOwner & { native_id: string | null }

/** How other modules get access to a cluster: as the right account, and with user-facing errors. */
export type ClusterAccess = ReturnType<typeof makeClusterAccess>
export function makeClusterAccess({ db, connections, poller, find, keyOf, own }: Options) {
  const asPerson = (
    cluster: StoredCluster,
    person: { id: string; username: string },
  ): Promise<ClusterConnection> =>
    connections.person(cluster, person, () => keyOf(person.id, person.username))

  /**
   * The cluster that holds the output of a submission, if this person may read it there now: having submitted it is not
   * enough. Jobs run as admin could write anything that the cluster's own account can read, so only admins may read
   * their output.
   */
  const outputCluster = async (me: Caller, row: Placed): Promise<StoredCluster> => {
    if (row.cluster_id === null) return gone(row)
    if (row.user_id === null && !row.run_as_admin)
      fail('no_account', {
        message: `The output is stored in the account of ${row.submitted_by}, who was removed`,
      })
    const cluster = await store.find(db, row.cluster_id, viewerOf(me))
    if (!cluster)
      return fail('forbidden', {
        message: `You no longer have access to the cluster ${row.cluster_name}. Ask its owner to share it with you.`,
      })
    if (row.run_as_admin && !isAdmin(me))
      fail('forbidden', {
        message: 'This job ran as the cluster’s admin account: only admins may read or delete its output',
      })
    const blocked = await connections.accountBlockedReason(cluster, me)
    return blocked === null ? cluster : fail('no_account', { message: blocked })
  }
  const gone = (row: Placed): never =>
    fail('wrong_state', { message: `The cluster ${row.cluster_name} no longer exists` })

  /** The cluster, if this person may act as their own account there now. */
  const requireAccount = async (me: Caller, clusterId: string): Promise<StoredCluster> => {
    const cluster = await find(me, clusterId)
    if (!isClusterActionAllowed('connect', cluster.state))
      fail('wrong_state', { message: clusterBlockedReason('connect', cluster.state) })
    const blocked = await connections.accountBlockedReason(cluster, me)
    return blocked === null ? cluster : fail('no_account', { message: blocked })
  }

  /** Connects as the account that a submission runs as. Pass the cluster if it was just looked up. */
  const forSubmission = async (
    row: Placed,
    known?: StoredCluster,
  ): Promise<{ connection: ClusterConnection; cluster: StoredCluster }> => {
    const cluster =
      known ?? (row.cluster_id === null ? undefined : await store.findAny(db.kysely, row.cluster_id))
    if (!cluster) return gone(row)
    const admin = row.run_as_admin || row.user_id === null
    const connection = admin
      ? connections.admin(cluster)
      : asPerson(cluster, { id: row.user_id ?? '', username: row.submitted_by })
    return { connection: await withUserFacingErrors(connection), cluster }
  }

  /** Connects as this person's own account, for files and terminals. */
  const forPerson = async (
    me: Caller,
    clusterId: string,
  ): Promise<{ connection: ClusterConnection; cluster: StoredCluster }> => {
    const cluster = await requireAccount(me, clusterId)
    const connection = await withUserFacingErrors(asPerson(cluster, me))
    await own.worked(me, cluster)
    return { connection, cluster }
  }

  return {
    requireAccount,
    forPerson,
    query,
    queryInTurn,
    withUserFacingErrors,
    asFailure,
    kick: (clusterId: string) => poller.kick(clusterId),
    expect: (clusterId: string) => poller.expect(clusterId),
    partitionOf: (cluster: StoredCluster): string => connectionSettings(cluster).partition,
    managerOf: (cluster: StoredCluster): Manager => connectionSettings(cluster).manager,

    /** Whether its jobs run on the console's own machine, each in a sandbox that ends with the job. */
    isBuiltin: (cluster: StoredCluster): boolean => connectionSettings(cluster).manager === 'none',
    /**
     * The host and port of the cluster's SSH login, if it has one, and its own desktop settings if it is in a cloud.
     */
    async desktopSettings(clusterId: string) {
      const cluster = (await store.findAny(db.kysely, clusterId)) ?? fail('not_found')
      const { head } = connectionSettings(cluster)
      return {
        login: head && { host: head.host, port: head.port },
        chosen: isInCloud(cluster) ? cluster.info : null,
      }
    },

    /** Whether submitting the same mark twice creates only one job: the built-in executor deduplicates by mark. */
    submitsOnce: (cluster: StoredCluster): boolean => connectionSettings(cluster).manager === 'none',

    /** The name of the account that this person's jobs run as there. */
    accountName: (me: Caller, cluster: StoredCluster) => accountNameOn(db.kysely, cluster, me),

    /** The cluster, if this person may submit to it now. A cluster that was already looked up is only checked again. */
    async forSubmitting(me: Caller, given: string | StoredCluster): Promise<StoredCluster> {
      const cluster = typeof given === 'string' ? await find(me, given) : given
      const blocked = await connections.submitBlockedReason(cluster, me)
      return blocked === null ? cluster : fail('wrong_state', { message: blocked })
    },
    /** A condition for SQL statements that must only apply while the cluster is unchanged since it was looked up. */
    fingerprintOf: (me: Caller, cluster: StoredCluster): string =>
      fingerprintOf({ ...cluster, data: cluster.stored_data }, viewerOf(me)),

    forSubmission,
    outputCluster,

    /** Connects as the account that a submission ran as, to read or remove its output. */
    async forOutput(me: Caller, row: Placed): Promise<ClusterConnection> {
      const cluster = await outputCluster(me, row)
      return (await forSubmission(row, cluster)).connection
    },

    /** Opens a port that a running job listens on. */
    openJobPort,

    /**
     * Changes a submission's job with the cluster's admin account. The job's number came from a command that ran in the
     * user's own account, who could have forged it, so the job's owner is checked first.
     */
    async asAdmin(
      row: Numbered,
      change: (scheduler: Scheduler, id: string) => Query<unknown>,
    ): Promise<void> {
      const cluster = row.cluster_id === null ? undefined : await store.findAny(db.kysely, row.cluster_id)
      if (!cluster || row.native_id === null) return gone(row)
      const { native_id } = row
      const admin = await connections.admin(cluster)
      const wanted = change(admin.scheduler, native_id)
      const jobs = await query(admin, admin.scheduler.jobDetail(native_id))
      if (!jobs.every((job) => isOurs(job, row)))
        fail('forbidden', { message: `Job ${native_id} on ${cluster.name} belongs to another account` })
      await query(admin, wanted)
    },

    /** Fails if the person who submitted this may no longer start anything there. */
    async requireMayStart(row: Placed, cluster: StoredCluster): Promise<void> {
      // A former admin may not run anything as admin, even if they submitted it while they were one.
      if (row.run_as_admin && !(await store.isAdmin(db.kysely, row.user_id)))
        fail('forbidden', {
          message: `${row.submitted_by} is no longer an admin, so the job was not run as admin`,
        })
      if (row.run_as_admin || row.user_id === null) return
      const blocked = await connections.startBlockedReason(cluster, row.user_id)
      if (blocked !== null) fail('no_account', { message: blocked })
    },

    /** Why the streams that this person has open on the cluster as their own account must end, or null. */
    async lostReason(me: Caller, clusterId: string): Promise<string | null> {
      try {
        await forPerson(me, clusterId)
        return null
      } catch (error) {
        return isPermanent(error) ? 'You no longer have access to this cluster' : null
      }
    },
  }
}
