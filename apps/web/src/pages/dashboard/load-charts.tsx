import { clusters } from '@flotilla/contract/clusters/clusters'
import { ChartSpline } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useApiQuery } from '../../api/query'
import { paths } from '../../paths'
import { Async } from '../../ui/feedback/async'
import { Card } from '../../ui/layout/card'
import { EmptyState } from '../../ui/feedback/empty-state'
import { Select } from '../../ui/form/input'
import { RowLink } from '../../ui/button/link'
import { Skeleton } from '../../ui/feedback/skeleton'

const SmallLoadChart = lazy(() => import('./small-load-chart'))

const HOUR_MS = 60 * 60_000
const ranges = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS }
type RangeName = keyof typeof ranges
/** The maximum number of charts; more would be hard to read. */
const MOST = 12
const EVERY_MS = 30_000

/** The load of each cluster over time, the busiest first. */
export function LoadCharts() {
  const [range, setRange] = useState<RangeName>('hour')
  const [opened] = useState(() => Date.now())
  const names = useApiQuery(clusters.names, {})
  const loads = useApiQuery(
    clusters.loads,
    { query: { since: opened - ranges[range], clusters: MOST } },
    { keepPrevious: true, everyMs: EVERY_MS },
  )
  const nameOf = new Map(names.data?.map(({ id, name }) => [id, name]))
  return (
    <Card
      title="Load"
      description="Load average of each cluster, busiest first. The dashed line is its number of cores."
      actions={
        <Select
          aria-label="Period"
          className="w-36"
          value={range}
          // Border: the options are exactly the range names.
          onChange={(event) => setRange(event.target.value as RangeName)}
        >
          <option value="hour">Last hour</option>
          <option value="day">Last day</option>
          <option value="week">Last 7 days</option>
        </Select>
      }
    >
      <Async
        data={loads}
        skeleton={<Skeleton className="h-36 w-full" />}
        empty={
          <EmptyState icon={ChartSpline} title="No load yet">
            A cluster’s load appears here about a minute after it becomes available.
          </EmptyState>
        }
      >
        {(points) => (
          <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
            {[...byCluster(points)]
              .toSorted(([, a], [, b]) => shareOf(b) - shareOf(a))
              .map(([id, own]) => (
                <li key={id} className="min-w-0 rounded-control border border-line-1 p-3">
                  <h3 className="truncate text-body font-medium">
                    <RowLink to={paths.cluster(id, 'load')}>{nameOf.get(id) ?? 'Cluster'}</RowLink>
                  </h3>
                  <Suspense fallback={<Skeleton className="h-28 w-full" />}>
                    <SmallLoadChart points={own} since={opened - ranges[range]} />
                  </Suspense>
                </li>
              ))}
          </ul>
        )}
      </Async>
    </Card>
  )
}

function byCluster<Point extends { cluster_id: string }>(points: readonly Point[]): Map<string, Point[]> {
  const found = new Map<string, Point[]>()
  for (const point of points) found.set(point.cluster_id, [...(found.get(point.cluster_id) ?? []), point])
  return found
}

/** The current load of a cluster per core. */
function shareOf(points: readonly { loadAvg: number; cpus: number }[]): number {
  const last = points.at(-1)
  return last ? last.loadAvg / Math.max(1, last.cpus) : 0
}
