import type { Cluster } from '@flotilla/contract/clusters-entity'
import { Copy, FileDown } from 'lucide-react'
import { showError } from '../../api/errors'
import { paths, useGo } from '../../paths'
import type { MenuEntry } from '../../ui/menu-entry'
import { actions, whyNot } from './cluster-actions'
import type { Action } from './cluster-actions'

/** The menu of what can be done to a cluster, each with the reason why it cannot be done now. */
export const actionEntries = (
  cluster: Cluster,
  list: readonly (Action | null)[],
  ask: (action: Action) => void,
): MenuEntry[] =>
  list.map((action) =>
    action === null
      ? 'separator'
      : {
          label: actions[action].label,
          icon: actions[action].icon,
          disabledReason: whyNot(cluster, action),
          onSelect: () => ask(action),
        },
  )

/** What is done with the record of a cluster in a cloud, which changes nothing of it. */
export function recordEntries(cluster: Cluster, go: ReturnType<typeof useGo>): MenuEntry[] {
  if (cluster.provider === 'local') return []
  return [
    {
      label: 'New from this cluster',
      icon: Copy,
      onSelect: () => go(paths.clusters(), { new: cluster.provider, copy: cluster.id }),
    },
    {
      label: 'Export as YAML',
      icon: FileDown,
      onSelect: () =>
        void import('./yaml/export-cluster')
          .then(({ exportCluster }) => exportCluster(cluster))
          .catch(showError),
    },
  ]
}

export function useRecordEntries(cluster: Cluster): MenuEntry[] {
  const entries = recordEntries(cluster, useGo())
  return entries.length > 0 ? [...entries, 'separator'] : []
}
