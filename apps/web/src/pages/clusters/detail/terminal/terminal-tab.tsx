import type { Cluster } from '@flotilla/contract/clusters/entity'
import { isClusterActionAllowed, clusterBlockedReason } from '@flotilla/contract/clusters/states'
import { OwnTerminal } from '../../../../terminal/own-terminal'
import { headOf } from '../../cluster-text'

export function TerminalTab({ cluster }: { cluster: Cluster }) {
  const { state } = cluster.info
  return (
    <OwnTerminal
      clusterId={cluster.id}
      host={headOf(cluster)}
      blockedReason={
        isClusterActionAllowed('connect', state)
          ? cluster.accountBlockedReason
          : clusterBlockedReason('connect', state)
      }
    />
  )
}
