import * as z from 'zod/mini'
import type { Logger } from 'pino'
import type { Database } from '../../../db/database'
import type { Viewer } from '../../../db/visible'
import { explain } from '../../../explain'
import { defineTask, handle, type Handler } from '../../../queue/task'
import type { Clusters } from '../clusters'
import * as store from '../store'
import { countDrift, driftOf, isEdited, type Drift } from '../wanted-nodes'

export const driftTask = defineTask('look-for-drift', z.object({}))

type Drifted = Drift & { id: string; name: string }
/** The clusters that this person looks after and that differ from what was deployed, ordered by name. */
export const driftedClusters = async (db: Database, viewer: Viewer): Promise<Drifted[]> =>
  (await store.runningInClouds(db.kysely, viewer)).flatMap((cluster) => {
    const drift = driftOf(cluster)
    return countDrift(drift) > 0 ? [{ id: cluster.id, name: cluster.name, ...drift }] : []
  })

/**
 * Plans every running cluster daily if the site enables it: the plan of an unedited cluster shows changes in the cloud.
 */
export const driftHandler = (options: {
  db: Database
  clusters: Pick<Clusters, 'start'>
  isOn: () => Promise<boolean>
  log: Logger
}): Handler =>
  handle(driftTask, async () => {
    const { db, clusters, isOn, log } = options
    if (!(await isOn())) return
    for (const cluster of await store.runningInClouds(db.kysely)) {
      if (isEdited(cluster)) continue
      await clusters.start(cluster, { action: 'plan' }, null, null).catch((error: unknown) => {
        log.warn({ cluster: cluster.id, reason: explain(error) }, 'a cluster could not be checked for drift')
      })
    }
  })
