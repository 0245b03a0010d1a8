import type { Cluster } from '@flotilla/contract/clusters/entity'
import { OwnTerminal } from '../../../../terminal/own-terminal'
import { connectBlockedReason } from '../../actions/user-actions'
import { headOf } from '../../cluster-text'

export function TerminalTab({ cluster }: { cluster: Cluster }) {
  return (
    <OwnTerminal
      clusterId={cluster.id}
      host={headOf(cluster)}
      blockedReason={connectBlockedReason(cluster)}
    />
  )
}
