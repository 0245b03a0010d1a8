import { useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import './load-chart.css'
import { appearance } from '../../../../shell/theme'
import { useStore } from '../../../../store'
import { countText } from '@flotilla/contract/count-text'
import { chartData } from './chart-data'
import type { Point } from './chart-data'

const HEIGHT = 288
/** The shortest time range: otherwise, a new cluster would have an axis of milliseconds. */
const SHORTEST_S = 10 * 60
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })

export default function LoadChart({ points }: { points: readonly Point[] }) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const theme = useStore(appearance)
  const data = useMemo(() => chartData(points), [points])
  const latest = useRef(data)
  useEffect(() => {
    latest.current = data
    chart.current?.setData(data)
  }, [data])

  useEffect(() => {
    const element = box.current
    if (!element) return
    const drawn = new uPlot(options(element), latest.current, element)
    chart.current = drawn
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      drawn.destroy()
      chart.current = undefined
    }
    // Colors are read from the page when the chart is created, so a theme change recreates it.
  }, [theme])

  const last = points.at(-1)
  const highest = Math.max(...points.map(({ loadAvg }) => loadAvg))
  return (
    <figure>
      <div ref={box} aria-hidden className="min-h-72 w-full" />
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

function options(element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element)
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  const font = `12px ${style.fontFamily}`
  const axis = {
    stroke: color('ink-3'),
    font,
    grid: { stroke: color('line-1'), width: 1 },
    ticks: { show: false },
  }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    cursor: { y: false, points: { size: 7 } },
    legend: { live: true, markers: { width: 2 } },
    scales: {
      x: { range: (_chart, min, max) => [Math.min(min, max - SHORTEST_S), max] },
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
        // A line needs two points.
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
  }
}
