import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import './plot.css'
import { useStore } from '../store'
import { appearance } from './theme'

/** A color of the current theme, by its name in colors.css. */
export type ThemeColor = (name: string) => string
type PlotOptions = Omit<uPlot.Options, 'width' | 'height'>

interface PlotProps {
  data: uPlot.AlignedData
  height: number
  /** Must be the same function for as long as the chart is the same. */
  optionsFor: (color: ThemeColor, axis: uPlot.Axis) => PlotOptions
}

/** A chart in the colors of the theme and as wide as its box. Screen readers get the caption, which describes it. */
export default function Plot({ data, height, optionsFor }: PlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const theme = useStore(appearance)
  const latest = useRef(data)
  useEffect(() => {
    latest.current = data
    chart.current?.setData(data)
  }, [data])

  useEffect(() => {
    const element = box.current
    if (!element) return
    const style = getComputedStyle(element)
    const color: ThemeColor = (name) => style.getPropertyValue(`--${name}`).trim()
    const axis: uPlot.Axis = {
      stroke: color('ink-3'),
      font: `12px ${style.fontFamily}`,
      grid: { stroke: color('line-1'), width: 1 },
      ticks: { show: false },
    }
    const size = () => ({ width: element.clientWidth, height })
    const drawn = new uPlot({ ...size(), ...optionsFor(color, axis) }, latest.current, element)
    chart.current = drawn
    const observer = new ResizeObserver(() => drawn.setSize(size()))
    observer.observe(element)
    return () => {
      observer.disconnect()
      drawn.destroy()
      chart.current = undefined
    }
    // Colors are read from the page when the chart is created, so a theme change recreates it.
  }, [theme, height, optionsFor])

  return <div ref={box} aria-hidden style={{ minHeight: height }} className="w-full" />
}
