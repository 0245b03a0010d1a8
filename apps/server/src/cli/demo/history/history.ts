import type { JobEnding } from '../../../schedulers/scheduler'
import type { Random } from '../random'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time'
import type { Workload } from '../jobs/workloads'

export type DemoNode = { name: string; cores: number; gpus: number }
export type Span = { from: number; to: number }
export type PastJob = {
  workload: Workload
  submittedAt: number
  startedAt: number
  endedAt: number
  ending: JobEnding
  nodes: string[]
}

const WEEKEND = 0.3
const WORKDAYS = 5 + 2 * WEEKEND
const CANCELED = 0.03

/** How often jobs are submitted at each hour of the day (UTC), relative to the busiest. */
const rhythm = [
  0.1, 0.06, 0.04, 0.04, 0.04, 0.06, 0.15, 0.4, 0.8, 1, 1, 0.9, 0.6, 0.8, 0.95, 1, 0.85, 0.6, 0.4, 0.3, 0.3,
  0.3, 0.25, 0.18,
]

function hourOfDay(random: Random): number {
  for (;;) {
    const hour = Math.floor(random.between(0, 24))
    if (random.chance(rhythm[hour] ?? 0)) return hour
  }
}

const isWeekend = (day: number): boolean => [0, 6].includes(new Date(day).getUTCDay())

function submissionsOf({ perWeek, nightlyAt }: Workload, { from, to }: Span, random: Random): number[] {
  const times: number[] = []
  for (let day = from - (from % DAY_MS); day < to; day += DAY_MS) {
    if (nightlyAt !== undefined) {
      times.push(day + nightlyAt * HOUR_MS + random.between(0, MINUTE_MS))
      continue
    }
    const today = random.count((perWeek / WORKDAYS) * (isWeekend(day) ? WEEKEND : 1))
    for (let one = 0; one < today; one++)
      times.push(day + hourOfDay(random) * HOUR_MS + random.between(0, HOUR_MS))
  }
  return times.filter((time) => time >= from && time < to)
}

type Wanted = { workload: Workload; submittedAt: number; ms: number; ending: JobEnding }

function wanted(workload: Workload, submittedAt: number, random: Random): Wanted {
  const full = random.between(...workload.hours) * HOUR_MS
  if (random.chance(workload.failing))
    return { workload, submittedAt, ms: full * random.between(0.02, 0.8), ending: 'failed' }
  if (random.chance(CANCELED))
    return { workload, submittedAt, ms: full * random.between(0.1, 0.5), ending: 'canceled' }
  return { workload, submittedAt, ms: full, ending: 'succeeded' }
}

/** Simulates the jobs of these workloads on these nodes: first come, first served, within the capacity of each node. */
export function simulateJobs(
  workloads: Workload[],
  nodes: DemoNode[],
  span: Span,
  gap: Span | undefined,
  random: Random,
): PastJob[] {
  const queue = workloads
    .flatMap((workload) =>
      submissionsOf(workload, span, random).map((time) => wanted(workload, time, random)),
    )
    .toSorted((a, b) => a.submittedAt - b.submittedAt)
  let running: (PastJob & { cores: number; gpus: number })[] = []
  let clock = span.from
  const free = ({ name, cores, gpus }: DemoNode) => {
    const here = running.filter((job) => job.nodes.includes(name))
    return {
      name,
      cores: here.reduce((left, job) => left - job.cores, cores),
      gpus: here.reduce((left, job) => left - job.gpus, gpus),
    }
  }
  return queue.flatMap(({ workload, submittedAt, ms, ending }): PastJob[] => {
    const need = workload.data
    clock = Math.max(clock, submittedAt + 2000)
    for (;;) {
      running = running.filter(({ endedAt }) => endedAt > clock)
      const fitting = nodes.map(free).filter(({ cores, gpus }) => cores >= need.cores && gpus >= need.gpus)
      if (fitting.length >= need.nodes) {
        const chosen = fitting.slice(0, need.nodes).map(({ name }) => name)
        const startedAt = Math.round(clock)
        // Jobs that would still run end now, because the executor does not know them.
        const endedAt = Math.round(Math.min(startedAt + ms, span.to))
        const job: PastJob = { workload, submittedAt, startedAt, endedAt, ending, nodes: chosen }
        running.push({ ...job, cores: need.cores, gpus: need.gpus })
        const isSeen = startedAt < span.to && !(gap && startedAt < gap.to && endedAt > gap.from)
        return isSeen ? [job] : []
      }
      const next = Math.min(...running.map(({ endedAt }) => endedAt))
      // No job ends that this one could wait for: the nodes are too small.
      if (!Number.isFinite(next) || next >= span.to) return []
      clock = next
    }
  })
}

/** When a node was busy, including short breaks between jobs. */
export function busySpans(jobs: PastJob[], node: string): Span[] {
  const spans: Span[] = []
  const own = jobs.filter(({ nodes }) => nodes.includes(node)).toSorted((a, b) => a.startedAt - b.startedAt)
  for (const { startedAt, endedAt } of own) {
    const last = spans.at(-1)
    if (last && startedAt - last.to < 10 * MINUTE_MS) last.to = Math.max(last.to, endedAt)
    else spans.push({ from: startedAt, to: endedAt })
  }
  return spans
}
