import type { Cluster } from '@flotilla/contract/clusters/entity'
import { Copy, FileDown, Pencil, Users } from 'lucide-react'
import { showError } from '../../../api/errors'
import { paths } from '../../../paths'
import type { MenuEntry } from '../../../ui/overlay/menu-entry'
import { actions, actionsOf, ownerOnlyReason, actionBlockedReason } from './cluster-actions'
import type { Action } from './cluster-actions'

type Go = (path: string, search?: Record<string, string>) => void

/** Menu entries of cluster actions, each with the reason if it is unavailable. */
const actionEntries = (
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

/** Copies of the cluster's record, which do not affect the cluster. */
function copyEntries(cluster: Cluster, go: Go): MenuEntry[] {
  const kind = cluster.provider === 'local' ? '1' : cluster.provider
  return [
    {
      label: 'Duplicate',
      icon: Copy,
      onSelect: () => go(paths.clusters(), { new: kind, copy: cluster.id }),
    },
    {
      label: 'Export as YAML',
      icon: FileDown,
      onSelect: () =>
        void import('../yaml/export-cluster')
          .then(({ exportCluster }) => exportCluster(cluster.id))
          .catch(showError),
    },
  ]
}

interface Options {
  go: Go
  open: (action: Action | 'share') => void
  /** Actions that have a button next to the menu. */
  without?: readonly (Action | 'edit')[]
}

/** The menu of a cluster. Users who do not own it get only the copy actions, and one heading with the reason. */
export function ownerEntries(cluster: Cluster, { go, open, without = [] }: Options): MenuEntry[] {
  if (!cluster.mine) return [...copyEntries(cluster, go), 'separator', { heading: ownerOnlyReason(cluster) }]
  const edit: MenuEntry = {
    label: 'Edit',
    icon: Pencil,
    disabledReason: actionBlockedReason(cluster, 'edit'),
    onSelect: () => go(paths.cluster(cluster.id, 'edit')),
  }
  return [
    ...(without.includes('edit') ? [] : [edit]),
    { label: 'Share', icon: Users, onSelect: () => open('share') },
    ...copyEntries(cluster, go),
    'separator',
    ...actionEntries(
      cluster,
      actionsOf(cluster).filter((action) => action === null || !without.includes(action)),
      open,
    ),
  ]
}
