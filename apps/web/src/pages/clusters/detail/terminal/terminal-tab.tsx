import type { Cluster } from '@flotilla/contract/clusters/entity'
import { clusterMay, clusterMayNot } from '@flotilla/contract/clusters/states'
import { OwnTerminal } from '../../../../terminal/own-terminal'
import { headOf } from '../../cluster-text'

export function TerminalTab({ cluster }: { cluster: Cluster }) {
  const { state } = cluster.info
  return (
    <OwnTerminal
      clusterId={cluster.id}
      host={headOf(cluster)}
      blockedReason={
        clusterMay('reach', state) ? cluster.accountBlockedReason : clusterMayNot('reach', state)
      }
    />
  )
}
