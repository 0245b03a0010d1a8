import type { UsageSummary } from '@flotilla/contract/site/usage'
import { ChartColumn } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { Card } from '../ui/layout/card'
import { EmptyState } from '../ui/feedback/empty-state'
import { Select } from '../ui/form/input'
import { Skeleton } from '../ui/feedback/skeleton'
import type { Range } from './range'
import type { Measure } from './usage-chart'

const UsageChart = lazy(() => import('./usage-chart'))

interface ChartCardProps {
  days: UsageSummary['days']
  range: Range
  /** Machines belong to clusters and not to users. */
  hasMachines?: boolean
}

export function ChartCard({ days, range, hasMachines = false }: ChartCardProps) {
  const [measure, setMeasure] = useState<Measure>('hours')
  return (
    <Card
      title="By day"
      actions={
        <Select
          aria-label="Show"
          className="w-36 print:hidden"
          value={measure}
          // Border: the options are exactly the measures.
          onChange={(event) => setMeasure(event.target.value as Measure)}
        >
          <option value="hours">Core hours</option>
          <option value="jobs">Job cost</option>
          {hasMachines && <option value="machines">Cluster cost</option>}
        </Select>
      }
    >
      {days.every(({ coreHours, machinePrice }) => coreHours === 0 && machinePrice === null) ? (
        <EmptyState icon={ChartColumn} title="No usage in this period">
          Choose a longer period. Usage appears here as soon as a job starts.
        </EmptyState>
      ) : (
        <Suspense fallback={<Skeleton className="h-55 w-full" />}>
          <UsageChart days={days} range={range} measure={measure} />
        </Suspense>
      )}
    </Card>
  )
}
