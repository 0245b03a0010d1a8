import { countText } from '@flotilla/contract/count-text'
import { useMemo } from 'react'
import type uPlot from 'uplot'
import Plot from '../../shell/plot'
import type { ThemeColor } from '../../shell/plot'

const HEIGHT = 96
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })

interface Point {
  time: number
  loadAvg: number
  cpus: number
}

/** A cluster's load. All charts have the same time axis, so that they can be compared. */
export default function SmallLoadChart({ points, since }: { points: readonly Point[]; since: number }) {
  const data = useMemo(
    (): uPlot.AlignedData => [
      points.map(({ time }) => time / 1000),
      points.map(({ loadAvg }) => loadAvg),
      points.map(({ cpus }) => cpus),
    ],
    [points],
  )
  const options = useMemo(() => optionsSince(since / 1000), [since])
  const last = points.at(-1)
  return (
    <figure>
      <Plot data={data} height={HEIGHT} optionsFor={options} />
      {last && (
        <figcaption className="mt-1 text-label text-ink-2 tabular-nums">
          {number.format(last.loadAvg)} on {countText(last.cpus, 'core')}
        </figcaption>
      )}
    </figure>
  )
}

type PlotOptions = Omit<uPlot.Options, 'width' | 'height'>
const optionsSince =
  (since: number) =>
  (color: ThemeColor, axis: uPlot.Axis): PlotOptions => ({
    cursor: { show: false },
    legend: { show: false },
    scales: {
      x: { range: () => [since, Date.now() / 1000] },
      y: { range: (_chart, _min, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 80, size: 22 },
      { ...axis, size: 34, space: 30, values: (_chart, marks) => marks.map((mark) => compact.format(mark)) },
    ],
    series: [
      {},
      {
        stroke: color('blue-dot'),
        fill: `color-mix(in srgb, ${color('blue-dot')} 14%, transparent)`,
        width: 2,
        // A single point has no line and needs a marker.
        points: { show: (chart) => chart.data[0].length === 1 },
      },
      { stroke: color('ink-3'), width: 1, dash: [5, 4], points: { show: false } },
    ],
  })
