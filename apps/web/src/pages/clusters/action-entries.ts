import type { Cluster } from '@flotilla/contract/clusters/entity'
import { Copy, FileDown, Users } from 'lucide-react'
import { showError } from '../../api/errors'
import { paths } from '../../paths'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import { actions, ownerOnlyReason, actionBlockedReason } from './cluster-actions'
import type { Action } from './cluster-actions'

/** The menu of cluster actions, each with the reason if it is unavailable. */
export const actionEntries = (
  cluster: Cluster,
  list: readonly (Action | null)[],
  open: (action: Action) => void,
): MenuEntry[] =>
  list.map((action) =>
    action === null
      ? 'separator'
      : {
          label: actions[action].label,
          icon: actions[action].icon,
          disabledReason: actionBlockedReason(cluster, action),
          onSelect: () => open(action),
        },
  )

/** Actions on the cluster's record that do not affect its machines. */
export function recordEntries(
  cluster: Cluster,
  go: (path: string, search: Record<string, string>) => void,
  open: (action: 'share') => void,
): MenuEntry[] {
  const kind = cluster.provider === 'local' ? '1' : cluster.provider
  return [
    {
      label: 'Share',
      icon: Users,
      disabledReason: cluster.mine ? null : ownerOnlyReason(cluster),
      onSelect: () => open('share'),
    },
    {
      label: 'New from this cluster',
      icon: Copy,
      onSelect: () => go(paths.clusters(), { new: kind, copy: cluster.id }),
    },
    {
      label: 'Export as YAML',
      icon: FileDown,
      onSelect: () =>
        void import('./yaml/export-cluster')
          .then(({ exportCluster }) => exportCluster(cluster.id))
          .catch(showError),
    },
  ]
}
