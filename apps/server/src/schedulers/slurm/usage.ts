import { fenced } from '../fence'
import type { UsageRecord } from '../scheduler'
import { standing } from './endings'
import { arrayPart } from './jobs'
import { gpus, text, time } from './values'

const fields = [
  'JobID',
  'State',
  'ExitCode',
  'User',
  'NNodes',
  'AllocCPUS',
  'AllocTRES',
  'NodeList',
  'Start',
  'End',
  'JobName',
]

/** Queries the accounting database for all users' jobs between two times, with one record per run of a requeued job. */
export const sacctUsage = (fence: string, from: number, to: number): string[] => [
  'env',
  'SLURM_TIME_FORMAT=%s',
  'sacct',
  '--noheader',
  '--parsable',
  '--allocations',
  '--duplicates',
  '--allusers',
  `--delimiter=${fence}`,
  `--format=${fields.join()}`,
  `--starttime=uts${Math.floor(from / 1000)}`,
  `--endtime=uts${Math.ceil(to / 1000)}`,
]

export const readUsage = (output: string, fence: string): UsageRecord[] =>
  fenced(output, fence, fields.length).flatMap(readRecord)

function readRecord(values: string[]): UsageRecord[] {
  const [id = '', native = '', exit = '0:0', user = '', nodes, cores, tres, nodeList = ''] = values
  const [begin, end, name = ''] = values.slice(8)
  const startTime = time(begin)
  // A job that never got a node has not started, although the field has a time.
  if (startTime === undefined || text(nodeList) === undefined || nodeList === 'None assigned') return []
  const { id: nativeId, arrayId } = arrayPart(id)
  const endTime = time(end)
  // A requeued run has ended, although its job is waiting.
  const ended = standing(native, 'None', exit).ending ?? 'requeued'
  return [
    {
      id: nativeId,
      ...(arrayId !== undefined && { arrayId }),
      name,
      user,
      state: endTime === undefined ? 'running' : ended,
      nodes: Number(nodes) || 0,
      cores: Number(cores) || 0,
      gpus: gpus(tres),
      nodeList,
      startTime,
      ...(endTime !== undefined && { endTime: Math.max(startTime, endTime) }),
    },
  ]
}
