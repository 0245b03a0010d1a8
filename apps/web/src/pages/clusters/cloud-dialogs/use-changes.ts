import { clusters } from '@flotilla/contract/clusters/clusters'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { useAdminScope } from '../use-admin-scope'

/** What an action on a cluster affects, and whether it needs admin scope. */
export function useChanges(cluster: CloudCluster) {
  return {
    admin: useAdminScope(cluster),
    invalidates: [clusters.list, clusters.view, clusters.logs, clusters.activities],
  }
}
