import { clusters } from '@flotilla/contract/clusters/clusters'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { useAdminScope } from '../use-admin-scope'

/** Options of every mutation of a cluster: the queries it invalidates, and whether it needs admin scope. */
export function useChanges(cluster: CloudCluster) {
  return {
    admin: useAdminScope(cluster),
    invalidates: [clusters.list, clusters.view, clusters.logs, clusters.activities],
  }
}
