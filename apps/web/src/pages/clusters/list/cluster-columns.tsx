import { managerNames } from '@flotilla/contract/clusters-inputs'
import type { Cluster } from '@flotilla/contract/clusters-entity'
import { paths } from '../../../paths'
import type { Column } from '../../../table/column'
import { linkColumn, textColumn } from '../../../table/columns'
import { RelativeTime } from '../../../ui/relative-time'
import { Stale } from '../../../ui/stale'
import { Status } from '../../../ui/status'
import { countsText, headOf, healthOf } from '../cluster-words'
import { NodeBar, nodesText } from '../node-bar'

const queueText = ({ queue }: Cluster): string =>
  countsText(
    [
      [queue.running, 'running'],
      [queue.queued, 'queued'],
      [queue.blocked, 'blocked'],
    ],
    'Empty',
  )

export const clusterColumns: readonly Column<Cluster>[] = [
  linkColumn({
    id: 'name',
    header: 'Name',
    value: (cluster) => cluster.name,
    to: (cluster) => paths.cluster(cluster.id),
    width: 150,
    priority: 1,
  }),
  {
    id: 'state',
    header: 'State',
    type: 'text',
    width: 192,
    holdsTime: true,
    priority: 1,
    value: (cluster) => healthOf(cluster).word,
    cell: (cluster) => (
      <Status tone={healthOf(cluster).tone} detail={<RelativeTime at={healthOf(cluster).since} />}>
        {healthOf(cluster).word}
      </Status>
    ),
  },
  textColumn({
    id: 'manager',
    header: 'Manager',
    value: (cluster) => managerNames[cluster.data.manager],
    width: 126,
    priority: 3,
  }),
  textColumn({ id: 'head', header: 'Head', value: headOf, width: 150, priority: 3 }),
  {
    id: 'nodes',
    header: 'Nodes',
    type: 'text',
    width: 226,
    priority: 2,
    value: (cluster) => nodesText(cluster.nodes),
    cell: ({ nodes }) => (
      <span className="flex items-center gap-2.5">
        <NodeBar counts={nodes} className="w-12 shrink-0" />
        <span className="truncate tabular-nums">
          {nodes.total === 0 ? 'none' : `${nodes.available} of ${nodes.total}`}
          {nodes.down > 0 && <span className="text-red">, {nodes.down} down</span>}
        </span>
      </span>
    ),
  },
  textColumn({ id: 'queue', header: 'Queue', value: queueText, width: 170, grow: true, priority: 2 }),
  textColumn({ id: 'owner', header: 'Owner', value: (cluster) => cluster.owner, width: 110, priority: 3 }),
  {
    id: 'polledAt',
    header: 'Data',
    type: 'date',
    width: 152,
    holdsTime: true,
    priority: 2,
    value: ({ freshness }) => (freshness.polledAt === null ? null : new Date(freshness.polledAt)),
    cell: ({ freshness }) =>
      freshness.polledAt === null ? (
        <span className="text-ink-3">–</span>
      ) : (
        <Stale since={freshness.polledAt} staleAfterMs={freshness.error === null ? 120_000 : 0} />
      ),
  },
]
