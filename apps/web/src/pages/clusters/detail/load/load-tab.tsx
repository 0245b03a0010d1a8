import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { ChartSpline } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useApiQuery } from '../../../../api/query'
import { useSearchParam, useSetSearch } from '../../../../paths'
import { Async } from '../../../../ui/feedback/async'
import { Card } from '../../../../ui/layout/card'
import { EmptyState } from '../../../../ui/feedback/empty-state'
import { Select } from '../../../../ui/form/input'
import { Skeleton } from '../../../../ui/feedback/skeleton'

const LoadChart = lazy(() => import('./load-chart'))

const HOUR = 60 * 60_000
const ranges = [
  { id: '1h', label: 'Last hour', ms: HOUR },
  { id: '6h', label: 'Last 6 hours', ms: 6 * HOUR },
  { id: '1d', label: 'Last day', ms: 24 * HOUR },
  { id: '7d', label: 'Last 7 days', ms: 7 * 24 * HOUR },
] as const

/**
 * Whether the cluster runs on the built-in executor, whose nodes are shares of one machine with a single load
 * average. Its load is taken from its jobs instead.
 */
const usesExecutor = (cluster: Cluster): boolean =>
  cluster.provider === 'local' ? cluster.data.manager === 'none' : cluster.simulated

export function LoadTab({ cluster }: { cluster: Cluster }) {
  const setSearch = useSetSearch()
  const wanted = useSearchParam('range')
  const range = ranges.find(({ id }) => id === wanted) ?? ranges[1]
  const [opened] = useState(() => Date.now())
  // A fixed start keeps the cache key stable: the data only grows, and each range is cached separately.
  const load = useApiQuery(
    clusters.load,
    { id: cluster.id, query: { since: opened - range.ms } },
    { keepPrevious: true, everyMs: 60_000 },
  )
  return (
    <Card
      title="Load"
      description={
        usesExecutor(cluster)
          ? 'Cores used by jobs on all nodes, out of the cores available. Other processes on the machine are not included.'
          : 'Combined load average of all nodes, compared to their cores. Above the line, work is waiting for cores.'
      }
      actions={
        <Select
          aria-label="Time range"
          className="w-36"
          value={range.id}
          onChange={(event) => setSearch({ range: event.target.value })}
        >
          {ranges.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      }
    >
      <Async
        data={load}
        skeleton={<Skeleton className="h-72 w-full" />}
        empty={
          <EmptyState icon={ChartSpline} title="No load recorded in this period">
            While the cluster is available, its load is recorded every minute and kept for 7 days.
          </EmptyState>
        }
      >
        {(points) => (
          <Suspense fallback={<Skeleton className="h-72 w-full" />}>
            <LoadChart points={points} since={opened - range.ms} />
          </Suspense>
        )}
      </Async>
    </Card>
  )
}
