import { account, usages, type ClusterUsage, type NodeUsage } from '@flotilla/contract/site/usage'
import { Cpu } from 'lucide-react'
import { useApiQuery } from '../../api/query'
import { paths, usePathParam, useSearchParam } from '../../paths'
import type { Column } from '../../table/column'
import { textColumn } from '../../table/columns'
import { DataTable } from '../../table/data-table'
import { Async } from '../../ui/feedback/async'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import { PageHeader } from '../../ui/layout/page-header'
import { Skeleton, SkeletonRows } from '../../ui/feedback/skeleton'
import { ChartCard } from '../../usage/chart-card'
import { RowsExportMenu } from '../../usage/rows-export-menu'
import { Figures } from '../../usage/figures'
import { GapNotice } from '../../usage/gap-notice'
import { figureColumn, nameColumn, type Target } from '../../usage/link-cell'
import { RangePicker } from '../../usage/range-picker'
import { rangeInput, useRange } from '../../usage/range'
import { hoursText, priceText } from '../../usage/usage-text'
import { AccountTable } from './account-table'
import { NodeUsageView } from './node-usage'

type Link = (row: NodeUsage) => Target

const kindTexts: Record<NodeUsage['kind'], string> = { machine: 'Machine', disk: 'Disk', other: 'Other' }

const hours = (
  id: 'upHours' | 'busyHours' | 'idleHours' | 'stoppedHours',
  header: string,
  priority: 1 | 2 | 3,
  link: Link,
) =>
  figureColumn<NodeUsage>({
    id,
    header,
    value: (row) => row[id],
    text: (value) => hoursText(value ?? 0),
    link,
    width: 124,
    least: 84,
    priority,
  })
const nodeColumns = (link: Link): readonly Column<NodeUsage>[] => [
  nameColumn({
    id: 'node',
    header: 'Node or disk',
    value: ({ node }) => node,
    link,
    least: 120,
    priority: 1,
  }),
  textColumn({ id: 'kind', header: 'Kind', value: ({ kind }) => kindTexts[kind], width: 92, priority: 3 }),
  hours('upHours', 'Up', 1, link),
  hours('busyHours', 'Busy', 2, link),
  hours('idleHours', 'Idle', 2, link),
  hours('stoppedHours', 'While stopped', 3, link),
  figureColumn({
    id: 'price',
    header: 'Price',
    value: ({ price }) => price,
    text: (value, { unpricedHours }) => priceText(value, unpricedHours),
    link,
    width: 136,
    least: 88,
    priority: 1,
  }),
]
const idOf = ({ kind, node }: NodeUsage) => `${kind} ${node}`

/** The usage of a cluster, or of its node or disk given in the URL. */
export default function ClusterUsagePage() {
  const clusterId = usePathParam('idCluster') ?? ''
  const [node, kind] = [useSearchParam('node'), useSearchParam('kind')]
  if (node === undefined) return <ClusterUsageView clusterId={clusterId} />
  return <NodeUsageView clusterId={clusterId} name={node} kind={kind ?? 'machine'} />
}

/** The cost of a cluster, its usage by account, and the activity of its machines. */
function ClusterUsageView({ clusterId }: { clusterId: string }) {
  const { range, search } = useRange()
  const link: Link = ({ node, kind }) => ({
    to: paths.accountCluster(clusterId),
    search: { ...search, node, kind },
  })
  const input = rangeInput(range)
  const clusters = useApiQuery(usages.list, input, { keepPrevious: true })
  const summary = useApiQuery(
    usages.summary,
    { ...input, query: { cluster: clusterId } },
    { keepPrevious: true },
  )
  const accounts = useApiQuery(
    account.list,
    { ...input, query: { cluster: clusterId } },
    { keepPrevious: true },
  )
  const nodes = useApiQuery(usages.details, { clusterId, ...input }, { keepPrevious: true })
  const cluster = clusters.data?.find((one) => one.clusterId === clusterId)
  return (
    <>
      <PageHeader
        title={cluster ? `Usage for ${cluster.name}` : 'Cluster usage'}
        actions={
          <>
            <RangePicker />
            <ButtonLink to={paths.cluster(clusterId)}>Open cluster</ButtonLink>
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <Async data={summary} skeleton={<Skeleton className="h-72 w-full" />}>
          {({ days, gaps }) => (
            <>
              <GapNotice gaps={gaps} />
              {cluster && <Sums cluster={cluster} />}
              <ChartCard days={days} range={range} hasMachines />
            </>
          )}
        </Async>
        <h2 className="text-section font-semibold">Users</h2>
        <Async data={accounts} skeleton={<SkeletonRows rows={4} columns={6} />}>
          {(rows) => <AccountTable rows={rows} cluster={clusterId} />}
        </Async>
        <h2 className="text-section font-semibold">Nodes and disks</h2>
        <Async data={nodes} skeleton={<SkeletonRows rows={4} columns={6} />}>
          {(rows) => (
            <DataTable
              label="Nodes and disks"
              urlKey="nodes"
              columns={nodeColumns(link)}
              rows={rows}
              rowId={idOf}
              toolbar={<RowsExportMenu name={`nodes-${cluster?.name ?? clusterId}`} rows={() => rows} />}
              empty={
                <EmptyState icon={Cpu} title="No machine was up in this period">
                  Nodes and disks appear here for as long as they exist.
                </EmptyState>
              }
            />
          )}
        </Async>
      </div>
    </>
  )
}

function Sums({ cluster }: { cluster: ClusterUsage }) {
  const { price, unpricedHours, costs, coreHours, nodeHours, busyNodeHours } = cluster
  return (
    <Figures
      items={[
        { label: 'Total cost', value: priceText(price, unpricedHours), note: 'machines and disks' },
        { label: 'Busy machines', value: priceText(costs.busy) },
        { label: 'Idle machines', value: priceText(costs.idle) },
        { label: 'Disks', value: priceText(costs.disks) },
        { label: 'While stopped', value: priceText(costs.stopped) },
        {
          label: 'Core hours',
          value: hoursText(coreHours),
          note: `nodes busy ${hoursText(busyNodeHours)} of ${hoursText(nodeHours)}`,
        },
      ]}
    />
  )
}
