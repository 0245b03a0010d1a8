import type { UsageSummary } from '@flotilla/contract/site/usage'
import { useMemo, useState } from 'react'
import uPlot from 'uplot'
import Plot from '../shell/plot'
import type { ThemeColor } from '../shell/plot'
import { money } from '../ui/text/price-text'
import { hoursText } from './usage-text'
import type { Range } from './range'

const HEIGHT = 220
const DAY_S = 24 * 60 * 60
const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })
const dayName = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

export type Measure = 'hours' | 'jobs' | 'machines'
const measures = {
  hours: { label: 'Core hours', color: 'blue-dot', of: (day: Day) => day.coreHours, text: hoursText },
  jobs: { label: 'Job cost', color: 'green-dot', of: (day: Day) => day.jobPrice, text: money },
  machines: { label: 'Cluster cost', color: 'amber-dot', of: (day: Day) => day.machinePrice, text: money },
} satisfies Record<
  Measure,
  { label: string; color: string; of: (day: Day) => number | null; text: (value: number) => string }
>
type Day = UsageSummary['days'][number]

interface UsageChartProps {
  days: readonly Day[]
  range: Range
  measure: Measure
}

/** A bar for each day in UTC, as in the caption. */
export default function UsageChart({ days, range, measure }: UsageChartProps) {
  const { label, of, text } = measures[measure]
  const [opened] = useState(() => Date.now())
  const data = useMemo((): uPlot.AlignedData => {
    const values = new Map(days.map((day) => [day.day / 1000, of(day)]))
    const first = Math.floor(range.from / 1000 / DAY_S) * DAY_S
    const last = Math.min(range.to, opened) / 1000
    const times: number[] = []
    for (let day = first; day < last; day += DAY_S) times.push(day)
    return [times, times.map((day) => values.get(day) ?? null)]
  }, [days, range.from, range.to, of, opened])
  const known = days.flatMap((day) => of(day) ?? [])
  const total = known.reduce((sum, value) => sum + value, 0)
  return (
    <figure>
      <Plot data={data} height={HEIGHT} optionsFor={plots[measure]} />
      <figcaption className="mt-2 text-body text-ink-2 tabular-nums">
        {known.length === 0
          ? `${label} per day (UTC): no data in this period.`
          : `${label} per day (UTC): ${text(total)} in total, ${text(Math.max(...known))} on the highest day.`}
      </figcaption>
    </figure>
  )
}

const plotOf =
  (measure: Measure) =>
  (color: ThemeColor, axis: uPlot.Axis): Omit<uPlot.Options, 'width' | 'height'> => {
    const { label, color: name, text } = measures[measure]
    return {
      cursor: { y: false, points: { show: false } },
      legend: { live: true, markers: { width: 2 } },
      // Days begin at midnight UTC, wherever the user is.
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: {
        // Set to the range of the days, because for a single day the library would choose years.
        x: { range: ({ data: [days] }) => [(days[0] ?? 0) - DAY_S / 2, (days.at(-1) ?? 0) + DAY_S / 2] },
        y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
      },
      axes: [
        { ...axis, grid: { show: false }, space: 64 },
        { ...axis, size: 52, values: (_chart, marks) => marks.map((mark) => compact.format(mark)) },
      ],
      series: [
        {
          label: 'Day',
          value: (_chart, seconds) => (seconds ? dayName.format(seconds * 1000) : '–'),
        },
        {
          label,
          stroke: color(name),
          fill: color(name),
          width: 0,
          paths: uPlot.paths.bars?.({ size: [0.7, 36] }),
          points: { show: false },
          value: (_chart, value) => (value === null ? '–' : text(value)),
        },
      ],
    }
  }
/** Created once, because a chart is redrawn when its function changes. */
const plots = { hours: plotOf('hours'), jobs: plotOf('jobs'), machines: plotOf('machines') }
