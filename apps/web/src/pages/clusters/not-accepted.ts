import { acceptanceBlockedReason } from '@flotilla/contract/clusters/acceptance'
import type { Cluster, LocalCluster } from '@flotilla/contract/clusters/entity'

/** Why nothing can run under the user's account there yet, or null. */
export const notAcceptedReason = (cluster: Cluster): string | null =>
  cluster.provider === 'local' && cluster.acceptance
    ? acceptanceBlockedReason(cluster.acceptance, cluster.owner)
    : null

/** Whether someone shared it with the user by name and is waiting for an answer. */
export const isAwaitingAcceptance = (cluster: Cluster): cluster is LocalCluster =>
  notAcceptedReason(cluster) !== null && cluster.provider === 'local' && cluster.acceptance?.shared === true
