import { clusters } from '@flotilla/contract/clusters/clusters'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { useAdminScope } from '../lifecycle-dialog'

/** What looks different after an action on a cluster, and in whose name it is asked for. */
export function useChanges(cluster: CloudCluster) {
  return {
    admin: useAdminScope(cluster),
    invalidates: [clusters.list, clusters.view, clusters.logs, clusters.activities],
  }
}
