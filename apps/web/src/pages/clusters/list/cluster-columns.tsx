import { managerNames } from '@flotilla/contract/clusters/inputs'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { paths } from '../../../paths'
import type { Column } from '../../../table/column'
import { linkColumn, textColumn } from '../../../table/columns'
import { RelativeTime } from '../../../ui/text/relative-time'
import { Stale } from '../../../ui/feedback/stale'
import { Status } from '../../../ui/status/status'
import { NO_PRICE, sumText } from '../../../ui/text/price-text'
import { countsText, headOf, healthOf, isPolled, keptText, staleAfter } from '../cluster-text'
import { NodeBar } from '../node-bar'
import { nodesText } from '../node-text'
import { ProviderMark, providerName, SimulatedMark } from '../provider-mark'

const queueText = ({ queue }: Cluster): string =>
  countsText(
    [
      [queue.running, 'running'],
      [queue.queued, 'queued'],
      [queue.blocked, 'blocked'],
    ],
    'Empty',
  )

/** 'AWS us-east-1', or the head node of existing machines. */
const whereOf = (cluster: Cluster): string =>
  cluster.provider === 'local'
    ? headOf(cluster)
    : `${providerName(cluster.provider)} ${cluster.data.network.region_id}`.trim()

/** The head node, or the region without the provider, which the mark next to it shows. */
const placeOf = (cluster: Cluster): string =>
  cluster.provider === 'local'
    ? headOf(cluster)
    : cluster.data.network.region_id || providerName(cluster.provider)

/** The current price; a dash if there is none. */
function PriceNow({ cluster }: { cluster: Cluster }) {
  const { price } = cluster
  const kept = keptText(cluster)
  if (kept !== null)
    return (
      <span title={kept} className="text-ink-3">
        {NO_PRICE}
      </span>
    )
  if (!price) return <span className="text-ink-3">–</span>
  return (
    <span title={price.note ?? undefined} className={price.perHour === null ? 'text-ink-3' : undefined}>
      {price.perHour === null ? NO_PRICE : sumText(price.perHour)}
    </span>
  )
}

export const clusterColumns: readonly Column<Cluster>[] = [
  linkColumn({
    id: 'name',
    header: 'Name',
    value: (cluster) => cluster.name,
    to: (cluster) => paths.cluster(cluster.id),
    width: 110,
    priority: 1,
  }),
  {
    id: 'state',
    header: 'State',
    type: 'text',
    width: 180,
    priority: 1,
    value: (cluster) => healthOf(cluster).label,
    cell: (cluster) => (
      <Status tone={healthOf(cluster).tone} detail={<RelativeTime at={healthOf(cluster).since} />}>
        {healthOf(cluster).label}
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
  {
    id: 'where',
    header: 'Where',
    type: 'text',
    width: 240,
    priority: 2,
    value: whereOf,
    cell: (cluster) => (
      <span className="flex min-w-0 items-center gap-2">
        <ProviderMark provider={cluster.provider} />
        <span className="truncate" title={whereOf(cluster)}>
          {placeOf(cluster)}
        </span>
        <SimulatedMark cluster={cluster} />
      </span>
    ),
  },
  {
    id: 'price',
    header: 'Price',
    unit: 'USD/h',
    type: 'number',
    width: 116,
    priority: 2,
    value: ({ price }) => price?.perHour ?? null,
    cell: (cluster) => <PriceNow cluster={cluster} />,
  },
  {
    id: 'nodes',
    header: 'Nodes',
    type: 'text',
    width: 128,
    priority: 2,
    value: (cluster) => nodesText(cluster),
    cell: (cluster) => (
      <span className="flex items-center gap-2.5">
        <NodeBar cluster={cluster} className="w-12 shrink-0" />
        <span className="truncate tabular-nums">
          {cluster.nodes.total === 0 ? 'None' : `${cluster.nodes.available} of ${cluster.nodes.total}`}
          {cluster.nodes.down > 0 && <span className="text-red">, {cluster.nodes.down} down</span>}
        </span>
      </span>
    ),
  },
  textColumn({ id: 'queue', header: 'Queue', value: queueText, width: 236, priority: 2 }),
  textColumn({ id: 'owner', header: 'Owner', value: (cluster) => cluster.owner, width: 110, priority: 3 }),
  {
    id: 'polledAt',
    header: 'Data',
    type: 'date',
    width: 152,
    priority: 2,
    value: ({ freshness }) => (freshness.polledAt === null ? null : new Date(freshness.polledAt)),
    cell: (cluster) =>
      cluster.freshness.polledAt === null || !isPolled(cluster) ? (
        <span className="text-ink-3">–</span>
      ) : (
        <Stale since={cluster.freshness.polledAt} staleAfterMs={staleAfter(cluster, 120_000)} />
      ),
  },
]
