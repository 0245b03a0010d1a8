import { account, usages, type AccountUsage, type ClusterUsage } from '@flotilla/contract/site/usage'
import { useApiQuery } from '../../api/query'
import { Async } from '../../ui/feedback/async'
import { PageHeader } from '../../ui/layout/page-header'
import { Skeleton, SkeletonRows } from '../../ui/feedback/skeleton'
import { Tabs } from '../../ui/layout/tabs'
import { paths, useSearchParam, useSetSearch } from '../../paths'
import { ChartCard } from '../../usage/chart-card'
import { Figures } from '../../usage/figures'
import { GapNotice } from '../../usage/gap-notice'
import { RangePicker } from '../../usage/range-picker'
import { rangeInput, useRange } from '../../usage/range'
import { hoursText, priceText } from '../../usage/usage-text'
import { AccountTable } from './account-table'
import { ClusterTable } from './cluster-table'

/** The usage of all accounts and the cost of all clusters. */
export default function AccountsPage() {
  const { range } = useRange()
  const setSearch = useSetSearch()
  const tab = useSearchParam('tab') ?? 'users'
  const input = rangeInput(range)
  const accounts = useApiQuery(account.list, input, { keepPrevious: true })
  const clusters = useApiQuery(usages.list, input, { keepPrevious: true })
  const summary = useApiQuery(usages.summary, input, { keepPrevious: true })
  return (
    <>
      <PageHeader
        title="Accounting"
        description="Hours and cost of jobs by user, and of machines and disks by cluster."
        actions={<RangePicker />}
      />
      <div className="flex flex-col gap-4">
        {summary.data && <GapNotice gaps={summary.data.gaps} />}
        {accounts.data && clusters.data ? (
          <Sums accounts={accounts.data} clusters={clusters.data} />
        ) : (
          <Skeleton className="h-20 w-full" />
        )}
        <Async data={summary} skeleton={<Skeleton className="h-72 w-full" />}>
          {({ days }) => <ChartCard days={days} range={range} hasMachines />}
        </Async>
        <Tabs
          label="Usage"
          value={tab}
          onChange={(id) => setSearch({ tab: id })}
          tabs={[
            {
              id: 'users',
              label: 'Users',
              content: (
                <Async data={accounts} skeleton={<SkeletonRows rows={6} columns={6} />}>
                  {(rows) => <AccountTable rows={rows} />}
                </Async>
              ),
            },
            {
              id: 'clusters',
              label: 'Clusters',
              content: (
                <Async data={clusters} skeleton={<SkeletonRows rows={6} columns={6} />}>
                  {(rows) => <ClusterTable rows={rows} />}
                </Async>
              ),
            },
          ]}
        />
      </div>
    </>
  )
}

/** The sum of the known prices: 0 for an empty list, null if no price is known. */
const sumOf = (prices: (number | null)[]): number | null => {
  const known = prices.filter((price) => price !== null)
  return known.length === 0 && prices.length > 0 ? null : known.reduce((sum, price) => sum + price, 0)
}

function Sums({ accounts, clusters }: { accounts: AccountUsage[]; clusters: ClusterUsage[] }) {
  const sum = (of: (row: AccountUsage) => number) => accounts.reduce((all, row) => all + of(row), 0)
  const cost = (of: (row: ClusterUsage) => number | null) => sumOf(clusters.map(of))
  const { search } = useRange()
  /** Links a total to its table, sorted by the column that it adds up, largest first. */
  const link = (tab: 'users' | 'clusters', column: string) => ({
    to: paths.account(),
    search: { ...search, tab, [`${tab}.sort`]: `-${column}` },
  })
  return (
    <Figures
      items={[
        {
          label: 'Total cost',
          value: priceText(
            cost(({ price }) => price),
            clusters.reduce((all, { unpricedHours }) => all + unpricedHours, 0),
          ),
          note: 'machines and disks',
          link: link('clusters', 'price'),
        },
        {
          label: 'Busy machines',
          value: priceText(cost(({ costs }) => costs.busy)),
          link: link('clusters', 'busyNodeHours'),
        },
        {
          label: 'Idle machines',
          value: priceText(cost(({ costs }) => costs.idle)),
          link: link('clusters', 'idle'),
        },
        {
          label: 'Disks',
          value: priceText(cost(({ costs }) => sumOf([costs.disks, costs.stopped]))),
          note: 'and stopped clusters',
          link: link('clusters', 'disks'),
        },
        {
          label: 'Core hours',
          value: hoursText(sum(({ coreHours }) => coreHours)),
          link: link('users', 'coreHours'),
        },
        {
          label: 'Jobs',
          value: sum(({ jobs }) => jobs).toLocaleString(),
          link: link('users', 'jobs'),
        },
      ]}
    />
  )
}
