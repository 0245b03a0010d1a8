import type { CommandResult, QueuedJob } from '../scheduler'
import { jobEnd } from './endings'
import { milliseconds } from '../bounds'
import { arrayPart, hosts, keyValues, seconds } from './jobs'

/** The file that a job leaves in its folder when it ends; each task of an array has its own. */
const END = '.flotilla-end'

/** The last lines of a job's wrapper. `$code` is the exit code of its script, `$stopped` whether it got a SIGTERM. */
export const writeEnd = (folder: string, limitS: number): string => `{
  hosts=$(sort -u "$PBS_NODEFILE" | paste -sd + -)
  echo "id=$PBS_JOBID Exit_status=$code stopped=$stopped start=$began end=$(date +%s) limit=${limitS} exec_host=$hosts" >${folder}/.flotilla-new"$task" &&
    mv -f ${folder}/.flotilla-new"$task" ${folder}/${END}"$task"
} 2>/dev/null`

/** Runs before the script, because a job that Torque restarts has not ended. */
export const clearEnd = (folder: string): string => `rm -f ${folder}/${END}"$task"`

export const showEnds = (folders: string[]): string[] => [
  '/bin/sh',
  '-c',
  `for folder; do cat -- "$folder"/${END} "$folder"/${END}-*; done 2>/dev/null; :`,
  'ends',
  ...folders,
]

/** Jobs that recorded their end. Users can write anything there, so the ids must be checked against Torque's. */
export const readEndFiles = ({ stdout }: CommandResult): QueuedJob[] => stdout.split('\n').flatMap(readEnd)

function readEnd(line: string): QueuedJob[] {
  const record = keyValues(line)
  if (!record.id || !/^\d{1,3}$/.test(record.Exit_status ?? '')) return []
  const code = Number(record.Exit_status)
  // Killed after a SIGTERM, by a user or because of the wall time; Torque's status for that is 256 plus the signal.
  const status = record.stopped && code > 128 ? code + 128 : code
  return [
    {
      ...arrayPart(record.id, undefined),
      name: '',
      user: '',
      state: 'completed',
      nativeState: 'C',
      nativeReason: '',
      nodes: 1,
      cores: 1,
      gpus: 0,
      partition: '',
      nodeList: hosts(record.exec_host || undefined),
      startTime: milliseconds(record.start),
      endTime: milliseconds(record.end),
      ...jobEnd(String(status), Number(record.end) - Number(record.start), seconds(record.limit)),
    },
  ]
}
