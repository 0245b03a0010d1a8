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
import { RowsExportMenu } from '../../usage/rows-export-menu'
import { GapNotice } from '../../usage/gap-notice'
import { jobFigures } from '../../usage/job-figures'
import { nameColumn } from '../../usage/link-cell'
import { RangePicker } from '../../usage/range-picker'
import { rangeInput, useRange } from '../../usage/range'

type Row = UsageSummary['clusters'][number]
const idOf = ({ clusterId }: Row) => clusterId

function columnsFor(account: string, search: Record<string, string>): readonly Column<Row>[] {
  const link = ({ clusterId }: Row) => ({
    to: paths.accountJobs(account),
    search: { ...search, cluster: clusterId },
  })
  return [
    nameColumn({ id: 'name', header: 'Cluster', value: ({ name }) => name, link, least: 86, priority: 1 }),
    ...jobFigures(link),
  ]
}

/** The usage of an account, by day and by cluster. */
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
              toolbar={<RowsExportMenu name={`usage-${id}`} rows={() => clusters} />}
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
