import { useMemo } from 'react'
import type uPlot from 'uplot'
import { countText } from '@flotilla/contract/count-text'
import Plot from '../../../../shell/plot'
import type { ThemeColor } from '../../../../shell/plot'
import { chartData } from './chart-data'
import type { Point } from './chart-data'

const HEIGHT = 288
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })

/** The load over time. The axis covers the whole requested period, even if there is no data for part of it. */
export default function LoadChart({ points, since }: { points: readonly Point[]; since: number }) {
  const data = useMemo(() => chartData(points), [points])
  const options = useMemo(() => optionsSince(since / 1000), [since])
  const last = points.at(-1)
  const highest = Math.max(...points.map(({ loadAvg }) => loadAvg))
  return (
    <figure>
      <Plot data={data} height={HEIGHT} optionsFor={options} />
      {last && (
        <figcaption className="mt-2 text-body text-ink-2 tabular-nums">
          Now {number.format(last.loadAvg)} on {countText(last.cpus, 'core')}
          {last.cpus > 0 && ` (${Math.round((last.loadAvg / last.cpus) * 100)}%)`}, peak{' '}
          {number.format(highest)} in this period.
        </figcaption>
      )}
    </figure>
  )
}

type PlotOptions = Omit<uPlot.Options, 'width' | 'height'>
const optionsSince =
  (since: number) =>
  (color: ThemeColor, axis: uPlot.Axis): PlotOptions => ({
    cursor: { y: false, points: { size: 7 } },
    legend: { live: true, markers: { width: 2 } },
    scales: {
      x: { range: () => [since, Date.now() / 1000] },
      y: { range: (_chart, _min, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [axis, { ...axis, size: 44, values: (_chart, marks) => marks.map((mark) => compact.format(mark)) }],
    series: [
      {
        label: 'Time',
        value: (_chart, seconds) => (seconds ? new Date(seconds * 1000).toLocaleString() : '–'),
      },
      {
        label: 'Load',
        stroke: color('blue-dot'),
        fill: `color-mix(in srgb, ${color('blue-dot')} 14%, transparent)`,
        width: 2,
        // A single point has no line and needs a marker.
        points: { show: (chart) => chart.data[0].length === 1 },
        value: (_chart, load) => (load === null ? '–' : number.format(load)),
      },
      {
        label: 'Cores',
        stroke: color('ink-3'),
        width: 1.5,
        dash: [5, 4],
        points: { show: false },
        value: (_chart, cores) => (cores === null ? '–' : number.format(cores)),
      },
    ],
  })
