import { acceptanceBlockedReason } from '@flotilla/contract/clusters/acceptance'
import type { Cluster, LocalCluster } from '@flotilla/contract/clusters/entity'

/** Why nothing can run under the user's account on the cluster yet, or null. */
export const notAcceptedReason = (cluster: Cluster): string | null =>
  cluster.provider === 'local' && cluster.acceptance
    ? acceptanceBlockedReason(cluster.acceptance, cluster.owner)
    : null

/** Whether the cluster was shared with the user by name and the user has not decided yet. */
export const isAwaitingAcceptance = (cluster: Cluster): cluster is LocalCluster =>
  notAcceptedReason(cluster) !== null && cluster.provider === 'local' && cluster.acceptance?.shared === true
