import { providerNames } from '@flotilla/contract/site/config'
import type { ClusterUsage } from '@flotilla/contract/site/usage'
import { Server } from 'lucide-react'
import { paths } from '../../paths'
import { textColumn } from '../../table/columns'
import type { Column } from '../../table/column'
import { DataTable } from '../../table/data-table'
import { EmptyState } from '../../ui/feedback/empty-state'
import { RowsExportMenu } from '../../usage/rows-export-menu'
import { figureColumn, nameColumn } from '../../usage/link-cell'
import { useRange } from '../../usage/range'
import { hoursText, priceText } from '../../usage/usage-text'

const providers: Record<string, string> = { ...providerNames, local: 'Local' }

function columnsFor(search: Record<string, string>): readonly Column<ClusterUsage>[] {
  const link = ({ clusterId }: ClusterUsage) => ({ to: paths.accountCluster(clusterId), search })
  const hours = (value: number | null) => hoursText(value ?? 0)
  const price = (
    id: string,
    header: string,
    value: (row: ClusterUsage) => number | null,
    priority: 1 | 2 | 3,
  ) =>
    figureColumn<ClusterUsage>({
      id,
      header,
      value,
      text: (amount, { unpricedHours }) => priceText(amount, id === 'price' ? unpricedHours : 0),
      link,
      width: 128,
      least: 88,
      priority,
    })
  return [
    nameColumn({
      id: 'name',
      header: 'Cluster',
      value: ({ name }) => name,
      link,
      width: 170,
      least: 110,
      priority: 1,
    }),
    textColumn({
      id: 'provider',
      header: 'Provider',
      value: ({ provider }) => providers[provider] ?? provider,
      width: 96,
      priority: 3,
    }),
    figureColumn({
      id: 'jobs',
      header: 'Jobs',
      value: ({ jobs }) => jobs,
      text: (value) => (value ?? 0).toLocaleString(),
      link,
      width: 84,
      least: 72,
      priority: 1,
    }),
    figureColumn({
      id: 'nodeHours',
      header: 'Node hours',
      value: ({ nodeHours }) => nodeHours,
      text: hours,
      link,
      width: 116,
      priority: 2,
    }),
    figureColumn({
      id: 'busyNodeHours',
      header: 'Busy',
      value: ({ busyNodeHours }) => busyNodeHours,
      text: hours,
      link,
      width: 108,
      priority: 3,
    }),
    figureColumn({
      id: 'coreHours',
      header: 'Core hours',
      value: ({ coreHours }) => coreHours,
      text: hours,
      link,
      width: 116,
      least: 92,
      priority: 2,
    }),
    price('idle', 'Idle cost', ({ costs }) => costs.idle, 3),
    price('disks', 'Disk cost', ({ diskPrice }) => diskPrice, 3),
    price('stopped', 'While stopped', ({ costs }) => costs.stopped, 3),
    price('price', 'Total cost', (row) => row.price, 1),
  ]
}

const idOf = ({ clusterId }: ClusterUsage) => clusterId

export function ClusterTable({ rows }: { rows: readonly ClusterUsage[] }) {
  const { search } = useRange()
  return (
    <DataTable
      label="Clusters"
      urlKey="clusters"
      columns={columnsFor(search)}
      rows={rows}
      rowId={idOf}
      initialSort={{ column: 'price', descending: true }}
      toolbar={<RowsExportMenu name="usage-by-cluster" rows={() => rows} />}
      empty={
        <EmptyState icon={Server} title="No cluster was in use in this period">
          Machines and disks appear here with what they cost, busy or not.
        </EmptyState>
      }
    />
  )
}
