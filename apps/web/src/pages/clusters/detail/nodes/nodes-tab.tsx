import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { ClusterNode } from '@flotilla/contract/clusters/tables'
import { CirclePause, CirclePlay, PanelRight, Server } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../../api/call'
import { useSearchParam, useSetSearch } from '../../../../paths'
import { tableSettings } from '../../../../session/page-settings'
import type { BulkAction } from '../../../../table/selection/bulk-bar'
import type { BulkContext } from '../../../../table/selection/use-bulk-run'
import { ServerTable } from '../../../../table/server-table'
import { Button } from '../../../../ui/button/button'
import { EmptyState } from '../../../../ui/feedback/empty-state'
import type { MenuEntry } from '../../../../ui/overlay/menu-entry'
import { ActionDialog } from '../../actions/action-dialog'
import { actions, actionBlockedReason, nodesBlockedReason } from '../../actions/cluster-actions'
import type { Action } from '../../actions/cluster-actions'
import { nodeStates, stateTone } from '../../node-text'
import { DrainDialog } from './drain-dialog'
import { nodeColumns } from './node-columns'
import { NodePanel } from './node-panel'
import { useRowSource } from '../row-source'
import { StateFilters, useStateFilter } from '../state-filters'
import { isOutOfService, useNodeOperations } from './use-node-operations'

const idOf = (node: ClusterNode) => node.name
const versionOf = ({ state, reason }: ClusterNode) => `${state} ${reason}`
const settings = tableSettings('cluster-nodes')
/** An action on one row, or on the selection if `bulk` is given. */
type NodeAction = Omit<BulkAction, 'onSelect'> & { onSelect: (bulk?: BulkContext) => void }

export function NodesTab({ cluster }: { cluster: Cluster }) {
  const { id } = cluster
  const source = useRowSource(clusters.nodes, id, (query, options) =>
    call(clusters.nodes, { id, query }, options),
  )
  const only = useStateFilter()
  const setSearch = useSetSearch()
  const open = useSearchParam('node')
  const [draining, setDraining] = useState<{ nodes: readonly string[]; bulk?: BulkContext } | null>(null)
  const [openDialog, setOpenDialog] = useState<{ action: Action; nodes: readonly string[] } | null>(null)
  const operate = useNodeOperations(cluster)
  const blockedReason = actionBlockedReason(cluster, 'operate')

  const drainAndResume = (nodes: readonly ClusterNode[]): NodeAction[] => {
    const out = nodes.filter(isOutOfService).map(idOf)
    const takesJobs = nodes.length === 1 ? 'It already accepts jobs' : 'They already accept jobs'
    return [
      {
        label: 'Drain',
        icon: CirclePause,
        disabledReason: blockedReason,
        onSelect: (bulk) => setDraining({ nodes: nodes.map(idOf), ...(bulk && { bulk }) }),
      },
      {
        label: 'Resume',
        icon: CirclePlay,
        disabledReason: blockedReason ?? (out.length === 0 ? takesJobs : null),
        onSelect: (bulk) => void operate.resume(out, bulk),
      },
    ]
  }
  const nodeAction = (action: 'deployNodes' | 'destroyNodes', nodes: readonly string[]): NodeAction => ({
    label: actions[action].label,
    icon: actions[action].icon,
    disabledReason: actionBlockedReason(cluster, action) ?? nodesBlockedReason(cluster, action, nodes),
    onSelect: () => setOpenDialog({ action, nodes }),
  })
  const ofCloud = (names: readonly string[]): NodeAction[] =>
    cluster.provider === 'local' ? [] : [nodeAction('deployNodes', names), nodeAction('destroyNodes', names)]
  const rowActions = (node: ClusterNode): MenuEntry[] => [
    { label: 'View details', icon: PanelRight, onSelect: () => setSearch({ node: node.name }) },
    'separator',
    ...drainAndResume([node]),
    ...ofCloud([node.name]),
  ]
  return (
    <div>
      <StateFilters
        label="nodes"
        total={cluster.nodes.total}
        counts={nodeStates
          .filter((state) => state !== 'unknown' || cluster.nodes.unknown > 0)
          .map((state) => ({ state, count: cluster.nodes[state], tone: stateTone(cluster, state) }))}
      />
      <ServerTable
        label="Nodes"
        columns={nodeColumns}
        source={source}
        only={only}
        rowId={idOf}
        rowVersion={versionOf}
        rowActions={rowActions}
        bulkActions={(nodes) => [...drainAndResume(nodes), ...ofCloud(nodes.map(idOf))]}
        toolbar={
          cluster.provider !== 'local' && (
            <Button
              icon={actions.deployNodes.icon}
              disabledReason={actionBlockedReason(cluster, 'deployNodes')}
              onClick={() => setOpenDialog({ action: 'deployNodes', nodes: [] })}
            >
              {actions.deployNodes.label}
            </Button>
          )
        }
        settings={settings}
        maxHeight="max(24rem, calc(100dvh - 9rem))"
        empty={
          <EmptyState icon={Server} title="No nodes">
            {cluster.info.state === 'available'
              ? 'The resource manager reports no nodes.'
              : 'Nodes appear here when the cluster is deployed.'}
          </EmptyState>
        }
      />
      {open !== undefined && (
        <NodePanel
          cluster={cluster}
          name={open}
          onClose={() => setSearch({ node: undefined })}
          onDrain={() => setDraining({ nodes: [open] })}
          onResume={() => void operate.resume([open])}
        />
      )}
      {openDialog && <ActionDialog cluster={cluster} {...openDialog} onClose={() => setOpenDialog(null)} />}
      {draining && (
        <DrainDialog
          nodes={draining.nodes}
          onDrain={(reason) => {
            const drained = operate.drain(draining.nodes, reason, draining.bulk)
            // The progress of a bulk action is shown at the bottom of the window.
            return draining.bulk ? Promise.resolve() : drained
          }}
          onClose={() => setDraining(null)}
        />
      )}
    </div>
  )
}
