import { fenced } from '../fence'
import type { QueuedJob } from '../scheduler'
import { standing } from './endings'
import { arrayPart, comment } from './jobs'
import { duration, gpus, megabytes, text, time } from './values'

const fields = [
  'JobID',
  'State',
  'ExitCode',
  'User',
  'Partition',
  'Account',
  'NNodes',
  'AllocCPUS',
  'AllocTRES',
  'NodeList',
  'Submit',
  'Start',
  'End',
  'Timelimit',
  'ElapsedRaw',
  'TotalCPU',
  'MaxRSS',
  'JobName',
  'WorkDir',
]

/** Queries the accounting database, which reaches back as far as the site keeps it. */
export const sacct = (fence: string, ids: string[]): string[] => [
  'env',
  'SLURM_TIME_FORMAT=%s',
  'sacct',
  '--noheader',
  '--parsable',
  '--allusers',
  `--delimiter=${fence}`,
  `--format=${fields.join()}`,
  `--jobs=${ids.join()}`,
]

export function readAccounting(output: string, fence: string): QueuedJob[] {
  const jobs: QueuedJob[] = []
  for (const values of fenced(output, fence, fields.length)) {
    const [id = ''] = values
    const last = jobs.at(-1)
    // A job is followed by its steps, and only steps report the memory.
    if (id.includes('.')) {
      const memoryMb = megabytes(values[16])
      if (last?.used && memoryMb !== undefined)
        last.used.memoryMb = Math.max(last.used.memoryMb ?? 0, memoryMb)
    } else jobs.push(readRecord(values))
  }
  return jobs.filter(({ state }) => state === 'completed')
}

function readRecord(values: string[]): QueuedJob {
  const [id = '', native = '', exit = '0:0', user = '', partition = '', account, nodeCount, cpus, tres] =
    values
  const [nodeList, submit, start, end, limit, elapsed, cpu, , name = '', workdir] = values.slice(9)
  const nodes = Number(nodeCount) || 0
  const where = standing(native, 'None', exit)
  const placed = text(nodeList) && nodeList !== 'None assigned' ? nodeList : undefined
  return {
    ...arrayPart(id),
    name,
    user,
    ...where,
    nativeState: native,
    nativeReason: '',
    nodes,
    cores: Math.ceil((Number(cpus) || 0) / Math.max(nodes, 1)),
    gpus: Math.ceil(gpus(tres) / Math.max(nodes, 1)),
    partition,
    account: text(account),
    workdir: text(workdir),
    nodeList: placed ?? '',
    submitTime: time(submit),
    startTime: placed ? time(start) : undefined,
    endTime: time(end),
    timeLimitS: duration(limit),
    used: { wallS: Number(elapsed) || 0, cpuS: duration(cpu) },
  }
}

/** Queries the marks of jobs of the last week, if the site's accounting stores comments. */
export const sacctMarks = (fence: string): string[] => [
  '/bin/sh',
  '-c',
  // Limits the query to the account's own jobs, because some accounts also see the jobs of others.
  'exec sacct --user="$(id -un)" "$@"',
  'marks',
  '--noheader',
  '--parsable',
  '--allocations',
  '--starttime=now-7days',
  `--delimiter=${fence}`,
  '--format=JobID,Comment',
]

export function readMarks(output: string, fence: string, mark: string): string | undefined {
  const found = fenced(output, fence, 2).find(([, value]) => value === comment(mark))
  const part = found?.[0] && arrayPart(found[0])
  return part ? (part.arrayId ?? part.id) : undefined
}

/**
 * The fields from the file or table of finished jobs that a site without a database may have. It has few fields, and
 * sacct fails on names with newlines in it, so only fields that cannot contain one are requested.
 */
const completionFields = ['JobID', 'State', 'ExitCode', 'Submit', 'Start', 'End', 'NNodes', 'AllocCPUS']

export const sacctCompletion = (fence: string, ids: string[]): string[] => [
  'env',
  'SLURM_TIME_FORMAT=%s',
  'sacct',
  '--completion',
  '--noheader',
  '--parsable',
  '--allusers',
  `--delimiter=${fence}`,
  `--format=${completionFields.join()}`,
  `--jobs=${ids.join()}`,
]

export function readCompletion(output: string, stderr: string, fence: string): QueuedJob[] {
  // sacct shows a single task under the id of the array, and the only sign of that is its error about an unknown field.
  // Such rows are dropped, since the end of one task is not the end of the array.
  const arrays = new Set(Array.from(stderr.matchAll(/Unknown type ArrayJobId: (\d+)/g), ([, id]) => id))
  return fenced(output, fence, completionFields.length)
    .map(readEnd)
    .filter(({ id }) => !arrays.has(id))
}

function readEnd(values: string[]): QueuedJob {
  const [id = '', native = '', exit = '0:0', submit, start, end, nodeCount, cpus] = values
  const nodes = Number(nodeCount) || 0
  return {
    id,
    tasks: 1,
    name: '',
    user: '',
    ...standing(native, 'None', exit),
    nativeState: native,
    nativeReason: '',
    nodes,
    cores: Math.ceil((Number(cpus) || 0) / Math.max(nodes, 1)),
    gpus: 0,
    partition: '',
    nodeList: '',
    submitTime: time(submit),
    // A job that never got a node has not started, although the field has a time.
    startTime: nodes ? time(start) : undefined,
    endTime: time(end),
  }
}
