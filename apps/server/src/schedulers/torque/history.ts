import { taskNumbers } from '../request'
import type { QueuedJob } from '../scheduler'
import { jobEnd } from './endings'
import { milliseconds } from '../bounds'
import { arrayPart, hosts, keyValues, megabytes, requestedNodes, seconds } from './jobs'

/** How many traces one command reads; each trace searches the logs of a week. */
const TRACED_AT_ONCE = 20

/**
 * Searches the server's logs and accounting files of the last week, which works only on the server itself and for
 * accounts that may read them. Without a terminal, tracejob accepts any line width.
 */
const tracejobs = (ids: string[]): string[] => [
  '/bin/sh',
  '-c',
  'for id; do tracejob -q -w 0 -n 7 "$id"; done',
  'trace',
  ...ids,
]

/** The trace of an array does not contain the ends of its tasks, so each task is traced separately. */
export function traces(ids: string[], arrays: Record<string, string>): string[][] {
  const all = ids.flatMap((id) => {
    const array = arrays[id]
    return array === undefined ? [id] : taskNumbers(array).map((task) => id.replace('[]', `[${task}]`))
  })
  return Array.from({ length: Math.ceil(all.length / TRACED_AT_ONCE) }, (_, index) =>
    tracejobs(all.slice(index * TRACED_AT_ONCE, (index + 1) * TRACED_AT_ONCE)),
  )
}

/** The ends of the jobs in the trace, from the accounting file or else from the log that every account may read. */
export const readTraces = (trace: string): QueuedJob[] => trace.split(/^(?=Job: )/m).flatMap(readTrace)

function readTrace(trace: string): QueuedJob[] {
  const id = /^Job: (\S+)/.exec(trace)?.[1]
  const lines = trace.split('\n')
  const ends = lines.filter((each) => each.includes(' Exit_status='))
  const line =
    ends.findLast((each) => / A {2,}\S/.test(each)) ?? ends.findLast((each) => / S {2,}\S/.test(each))
  const hasEvent = (event: string) => lines.some((each) => new RegExp(` S {2,}${event}`).test(each))
  const isDeleted = hasEvent('Job deleted at request of ')
  if (!id || (!line && !isDeleted)) return []
  const record = keyValues(line ?? '')
  const timeLimitS = seconds(record['Resource_List.walltime'])
  const wallS = seconds(record['resources_used.walltime'])
  return [
    {
      ...arrayPart(id, undefined),
      name: record.jobname ?? '',
      user: record.user ?? '',
      state: 'completed',
      nativeState: 'C',
      nativeReason: '',
      ...requestedNodes(record),
      partition: record.queue ?? '',
      account: record.account,
      nodeList: hosts(record.exec_host),
      submitTime: milliseconds(record.qtime),
      startTime: milliseconds(record.start),
      endTime: milliseconds(record.end),
      timeLimitS,
      ...jobEnd(record.Exit_status, wallS, timeLimitS, isDeleted),
      // It was purged while it ran, so its end is unknown.
      ...(!line && hasEvent('Job Run at request of ') && { reason: 'Canceled' }),
      used: {
        wallS,
        cpuS: seconds(record['resources_used.cput']),
        memoryMb: megabytes(record['resources_used.mem']),
      },
    },
  ]
}
