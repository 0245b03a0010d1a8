import { usages, type UsageSummary } from '@flotilla/contract/site/usage'
import { ListOrdered, Server } from 'lucide-react'
import { useApiQuery } from '../../api/query'
import { paths, usePathParam } from '../../paths'
import type { Column } from '../../table/column'
import { DataTable } from '../../table/data-table'
import { Async } from '../../ui/feedback/async'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import { PageHeader } from '../../ui/layout/page-header'
import { Skeleton } from '../../ui/feedback/skeleton'
import { useAccountTitle } from '../../usage/account-title'
import { ChartCard } from '../../usage/chart-card'
import { ExportMenu } from '../../usage/export-menu'
import { GapNotice } from '../../usage/gap-notice'
import { figureColumn, nameColumn } from '../../usage/link-cell'
import { RangePicker } from '../../usage/range-picker'
import { rangeInput, useRange } from '../../usage/range'
import { hoursText, priceText } from '../../usage/usage-text'

type Row = UsageSummary['clusters'][number]
const idOf = ({ clusterId }: Row) => clusterId

function columnsFor(account: string, search: Record<string, string>): readonly Column<Row>[] {
  const link = ({ clusterId }: Row) => ({
    to: paths.accountJobs(account),
    search: { ...search, cluster: clusterId },
  })
  const hours = (id: 'coreHours' | 'gpuHours' | 'nodeHours', header: string, priority: 1 | 2 | 3) =>
    figureColumn<Row>({
      id,
      header,
      value: (row) => row[id],
      text: (value) => hoursText(value ?? 0),
      link,
      width: 124,
      least: 110,
      priority,
    })
  return [
    nameColumn({ id: 'name', header: 'Cluster', value: ({ name }) => name, link, least: 86, priority: 1 }),
    figureColumn({
      id: 'jobs',
      header: 'Jobs',
      value: ({ jobs }) => jobs,
      text: (value) => (value ?? 0).toLocaleString(),
      link,
      width: 90,
      least: 68,
      priority: 1,
    }),
    hours('coreHours', 'Core hours', 1),
    hours('gpuHours', 'GPU hours', 3),
    hours('nodeHours', 'Node hours', 2),
    figureColumn({
      id: 'price',
      header: 'Price',
      value: ({ price }) => price,
      text: (value, { unpricedCoreHours }) => priceText(value, unpricedCoreHours),
      link,
      width: 140,
      least: 88,
      priority: 1,
    }),
  ]
}

/** What one account used, by day and by cluster. */
export default function AccountPage() {
  const id = usePathParam('id') ?? ''
  const { range, search } = useRange()
  const summary = useApiQuery(
    usages.summary,
    { ...rangeInput(range), query: { account: id } },
    { keepPrevious: true },
  )
  return (
    <>
      <PageHeader
        title={`Usage for ${useAccountTitle(id, range)}`}
        description="By day and by cluster."
        actions={
          <>
            <RangePicker />
            <ButtonLink to={paths.accountJobs(id)} search={search} icon={ListOrdered}>
              All jobs
            </ButtonLink>
          </>
        }
      />
      <Async data={summary} skeleton={<Skeleton className="h-72 w-full" />}>
        {({ days, clusters, gaps }) => (
          <div className="flex flex-col gap-4">
            <GapNotice gaps={gaps} />
            <ChartCard days={days} range={range} />
            <DataTable
              label="Clusters"
              columns={columnsFor(id, search)}
              rows={clusters}
              rowId={idOf}
              initialSort={{ column: 'coreHours', descending: true }}
              toolbar={<ExportMenu name={`usage-${id}`} rows={() => clusters} />}
              empty={
                <EmptyState icon={Server} title="No jobs in this period">
                  Choose a longer period, or look at another account.
                </EmptyState>
              }
            />
          </div>
        )}
      </Async>
    </>
  )
}
