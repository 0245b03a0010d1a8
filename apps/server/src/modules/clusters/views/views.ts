import { isParticipant } from '@flotilla/contract/access'
import type { Price } from '@flotilla/contract/clouds/providers'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { Database } from '../../../db/database'
import type { Caller } from '../../../http/caller'
import { acceptanceOf } from '../connection/acceptance'
import type { Connections } from '../connection/connections'
import * as store from '../store'
import type { StoredCluster } from '../stored-cluster'
import { seesOwnJobsOnly } from './own-jobs'
import { asCluster, withOwnJobs, withoutOthers } from './as-cluster'

export type ViewOptions = {
  db: Database
  connections: Pick<Connections, 'blockedReasons'>
  /** The current price of each cluster. */
  prices(clusters: StoredCluster[]): Promise<(Price | null)[]>
}

/** Clusters as this person may see them. */
export function makeViews({ db, connections, prices }: ViewOptions) {
  return async (me: Caller, rows: StoredCluster[]): Promise<Cluster[]> => {
    const ids = rows.map(({ id }) => id)
    const failed = rows.filter(({ cause }) => cause !== null).map(({ id }) => id)
    const [runs, costs, last] = await Promise.all([
      store.runsOf(db.kysely, ids),
      prices(rows),
      store.lastActions(db.kysely, failed),
    ])
    const clusters = await Promise.all(
      rows.map(async (row, index) =>
        asCluster(row, me, {
          acceptance: await acceptanceOf(db.kysely, row, me),
          ...(await connections.blockedReasons(row, me)),
          price: costs[index] ?? null,
          run: runs.find(({ cluster_id }) => cluster_id === row.id),
          failedAction: last.find(({ cluster_id }) => cluster_id === row.id)?.action,
        }),
      ),
    )
    const ownOnly = rows.filter((row) => seesOwnJobsOnly(me, row)).map(({ id }) => id)
    if (ownOnly.length === 0) return clusters
    const jobs = await store.jobCountsOf(db.kysely, ownOnly, me)
    return clusters.map((cluster) => {
      if (!ownOnly.includes(cluster.id)) return cluster
      const own = withOwnJobs(
        cluster,
        jobs.filter(({ cluster_id }) => cluster_id === cluster.id),
      )
      return isParticipant(me) ? withoutOthers(own) : own
    })
  }
}
