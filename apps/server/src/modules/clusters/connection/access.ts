import { clusterMay, clusterMayNot } from '@flotilla/contract/clusters/states'
import type { Database } from '../../../db/database'
import { asSeen } from '../../../db/visible-clusters'
import { fail } from '../../../fail'
import type { Caller } from '../../../http/caller'
import { ask, asFailure, askInTurn, refusing } from './query'
import type { Connections } from './connections'
import type { Reach } from './connection'
import type { Poller } from '../watch/poller'
import type { FoundCluster } from '../store'
import * as store from '../store'
import { connectionSettings } from './settings'
import { viewerOf } from '../../sharing/sharing'

type Options = {
  db: Database
  connections: Connections
  poller: Pick<Poller, 'kick' | 'expect'>
  find(me: Caller, id: string): Promise<FoundCluster>
  /** A person's own private key. */
  keyOf(userId: string, username: string): Promise<string>
}
/** What of a submission says where it runs and as whom. */
type Placed = {
  cluster_id: string | null
  cluster_name: string
  user_id: string | null
  submitted_by: string
  run_as_admin: boolean
}

/** How other modules get to a cluster: as the right account, and with failures that people understand. */
export function makeReaching({ db, connections, poller, find, keyOf }: Options) {
  const asPerson = (cluster: FoundCluster, person: { id: string; username: string }): Promise<Reach> =>
    connections.person(cluster, person, () => keyOf(person.id, person.username))

  /**
   * The cluster that holds what a submission wrote, if this person may read it there now: having submitted it is not
   * enough. Jobs run as admin could write anything that the cluster's own account sees, so only admins read what they
   * wrote.
   */
  const outputCluster = async (me: Caller, row: Placed): Promise<FoundCluster> => {
    if (row.cluster_id === null) return gone(row)
    if (row.user_id === null && !row.run_as_admin)
      fail('no_account', {
        message: `The output is stored in the account of ${row.submitted_by}, who was removed`,
      })
    const cluster = await store.find(db, row.cluster_id, viewerOf(me))
    if (!cluster)
      return fail('forbidden', {
        message: `You no longer have access to the cluster ${row.cluster_name}, where this output is stored. Ask its owner to share it with you.`,
      })
    if (row.run_as_admin && !me.role.includes('admin'))
      fail('forbidden', {
        message: "This job ran as the cluster's admin account: only admins may read or delete its output",
      })
    const why = await connections.whyNoAccount(cluster, me)
    return why === null ? cluster : fail('no_account', { message: why })
  }
  const gone = (row: Placed): never =>
    fail('wrong_state', { message: `The cluster ${row.cluster_name} is not there any more` })

  return {
    ask,
    askInTurn,
    refusing,
    asFailure,
    kick: (clusterId: string) => poller.kick(clusterId),
    expect: (clusterId: string) => poller.expect(clusterId),
    partitionOf: (cluster: FoundCluster): string => connectionSettings(cluster).partition,

    /** Whether the same mark sent twice is one job: the executor looks for it itself. */
    submitsOnce: (cluster: FoundCluster): boolean => connectionSettings(cluster).manager === 'none',

    /** The cluster, if this person may submit to it now; or one that was looked up before, if that is all that is asked. */
    async forSubmitting(me: Caller, given: string | FoundCluster): Promise<FoundCluster> {
      const cluster = typeof given === 'string' ? await find(me, given) : given
      const why = await connections.whyNoSubmit(cluster, me)
      return why === null ? cluster : fail('wrong_state', { message: why })
    },
    /** For a statement that goes ahead only if the cluster is still as it was looked up. */
    asSeen: (me: Caller, cluster: FoundCluster): string => asSeen(cluster, viewerOf(me)),

    /** As the account that a submission runs as. The cluster, if the caller has just looked it up. */
    async forSubmission(row: Placed, known?: FoundCluster): Promise<{ reach: Reach; cluster: FoundCluster }> {
      const cluster =
        known ?? (row.cluster_id === null ? undefined : await store.findAny(db.kysely, row.cluster_id))
      if (!cluster) return gone(row)
      const admin = row.run_as_admin || row.user_id === null
      const reach = admin
        ? connections.admin(cluster)
        : asPerson(cluster, { id: row.user_id ?? '', username: row.submitted_by })
      return { reach: await refusing(reach), cluster }
    },

    outputCluster,

    /** As the account that a submission ran as, to read or remove what it wrote there. */
    async forOutput(me: Caller, row: Placed): Promise<Reach> {
      const cluster = await outputCluster(me, row)
      return (await this.forSubmission(row, cluster)).reach
    },

    /** Fails when the person who submitted this may not start anything more there. */
    async requireMayStart(row: Placed, cluster: FoundCluster): Promise<void> {
      // A former admin starts nothing with that right, however long ago they submitted it.
      if (row.run_as_admin && !(await store.isAdmin(db.kysely, row.user_id)))
        fail('forbidden', {
          message: `${row.submitted_by} is not an admin any more: it was not run as admin`,
        })
      if (row.run_as_admin || row.user_id === null) return
      const why = await connections.whyNoStart(cluster, row.user_id)
      if (why !== null) fail('no_account', { message: why })
    },

    /** As this person's own account, for files and terminals. */
    async forPerson(me: Caller, clusterId: string): Promise<{ reach: Reach; cluster: FoundCluster }> {
      const cluster = await find(me, clusterId)
      if (!clusterMay('reach', cluster.state))
        fail('wrong_state', { message: clusterMayNot('reach', cluster.state) })
      const why = await connections.whyNoAccount(cluster, me)
      if (why !== null) fail('no_account', { message: why })
      return { reach: await refusing(asPerson(cluster, me)), cluster }
    },
  }
}
