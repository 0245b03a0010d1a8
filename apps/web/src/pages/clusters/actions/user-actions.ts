import type { Cluster } from '@flotilla/contract/clusters/entity'
import { isClusterActionAllowed, clusterBlockedReason } from '@flotilla/contract/clusters/states'
import { FolderOpen, Play, SquareTerminal } from 'lucide-react'
import { paths } from '../../../paths'
import { submitBlockedReason } from '../../../submit/offer'
import type { Icon } from '../../../ui/status/icon'

type UserAction = { label: string; icon: Icon; disabledReason: string | null; onSelect: () => void }

/** Why the user cannot connect to the cluster now, or null. */
export const connectBlockedReason = ({
  info,
  accountBlockedReason,
}: Pick<Cluster, 'info' | 'accountBlockedReason'>): string | null =>
  isClusterActionAllowed('connect', info.state)
    ? accountBlockedReason
    : clusterBlockedReason('connect', info.state)

/** The actions of everyone who can use a cluster, each with the reason if it is unavailable. */
export function userActions(
  cluster: Cluster,
  go: (path: string, search?: Record<string, string>) => void,
  submit: () => void,
): UserAction[] {
  const { id } = cluster
  const blockedReason = connectBlockedReason(cluster)
  return [
    {
      label: 'Submit a job',
      icon: Play,
      disabledReason: submitBlockedReason(null, cluster),
      onSelect: submit,
    },
    {
      label: 'Files',
      icon: FolderOpen,
      disabledReason: blockedReason,
      onSelect: () => go(paths.files(), { area: id }),
    },
    {
      label: 'Terminal',
      icon: SquareTerminal,
      disabledReason: blockedReason,
      onSelect: () => go(paths.cluster(id, 'terminal')),
    },
  ]
}
