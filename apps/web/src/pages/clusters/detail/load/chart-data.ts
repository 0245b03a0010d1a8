import type { LoadAverage } from '@flotilla/contract/clusters/entity'
import type * as z from 'zod/mini'

export type Point = z.infer<typeof LoadAverage>

/** A longer gap in the data breaks the line, because the load during that time is unknown. */
const GAP_MS = 5 * 60_000

/** Seconds, load and cores in the chart's format, with null points where nothing was recorded. */
export function chartData(points: readonly Point[]): [number[], (number | null)[], (number | null)[]] {
  const times: number[] = []
  const loads: (number | null)[] = []
  const cores: (number | null)[] = []
  const add = (ms: number, load: number | null, cpus: number | null) => {
    times.push(ms / 1000)
    loads.push(load)
    cores.push(cpus)
  }
  points.forEach(({ time, loadAvg, cpus }, at) => {
    const before = points[at - 1]
    if (before && time - before.time > GAP_MS) add(before.time + 1, null, null)
    add(time, loadAvg, cpus)
  })
  return [times, loads, cores]
}
