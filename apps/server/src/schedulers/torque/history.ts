import type { QueuedJob } from '../scheduler'
import { jobEnd } from './endings'
import { hosts, megabytes, milliseconds, nodesAsked, seconds } from './jobs'

/** The server's logs and accounts of the last week; only on the server itself, and only for those who may read them. */
export const tracejob = (id: string): string[] => ['tracejob', '-q', '-n', '7', id]

/** The end of the job, if it is in the trace: from the accounts, or from the log that every account may read. */
export function readTrace(trace: string): QueuedJob[] {
  const id = /^Job: (\S+)/m.exec(trace)?.[1]
  const ends = trace.split('\n').filter((each) => each.includes(' Exit_status='))
  const line =
    ends.findLast((each) => / A {2,}\S/.test(each)) ?? ends.findLast((each) => / S {2,}\S/.test(each))
  if (!id || !line) return []
  const record = Object.fromEntries(
    line.split(/\s+/).map((word) => {
      const equals = word.indexOf('=')
      return [word.slice(0, Math.max(equals, 0)), word.slice(equals + 1)]
    }),
  )
  const timeLimitS = seconds(record['Resource_List.walltime'])
  const wallS = seconds(record['resources_used.walltime'])
  return [
    {
      id,
      tasks: 1,
      name: record.jobname ?? '',
      user: record.user ?? '',
      state: 'completed',
      nativeState: 'C',
      nativeReason: '',
      ...nodesAsked(record),
      partition: record.queue ?? '',
      account: record.account,
      nodeList: hosts(record.exec_host),
      submitTime: milliseconds(record.qtime),
      startTime: milliseconds(record.start),
      endTime: milliseconds(record.end),
      timeLimitS,
      ...jobEnd(record.Exit_status, wallS, timeLimitS),
      used: {
        wallS,
        cpuS: seconds(record['resources_used.cput']),
        memoryMb: megabytes(record['resources_used.mem']),
      },
    },
  ]
}
