import { readBounded } from '../bounds'
import { fenced } from '../fence'
import { countTasks } from '../request'
import type { QueuedJob } from '../scheduler'
import { standing } from './endings'
import { isJson, jobsAsFields } from './json'
import { duration, gpus, text, time } from './values'

/** Slurm's names of the queried fields, in this order. */
const fields = [
  'JobArrayID',
  'State',
  'Reason',
  'exit_code',
  'UserName',
  'Partition',
  'Account',
  'NumNodes',
  'NumCPUs',
  'NumTasks',
  'tres-per-node',
  'tres-per-job',
  'tres-per-task',
  'NodeList',
  'SubmitTime',
  'StartTime',
  'EndTime',
  'TimeLimit',
  'Name',
  'Comment',
  'WorkDir',
]

const ours = 'flotilla='
export const comment = (mark: string): string => ours + mark

/**
 * Uses `squeue -O`, since `--json` is slow and much larger per job. A width of 0 prints every field in full. Times are
 * requested as seconds since 1970, so that time zones do not matter, and the numbers of waiting tasks without Slurm's
 * default limit of 64 characters.
 */
export const squeue = (fence: string, ...options: string[]): string[] => [
  'env',
  'SLURM_BITSTR_LEN=0',
  'SLURM_TIME_FORMAT=%s',
  'squeue',
  '--noheader',
  '--all',
  '--states=all',
  `--Format=${fields.map((field) => `${field}:0${fence}`).join()}`,
  ...options,
]

export const readJobs = (output: string, fence: string): QueuedJob[] =>
  readBounded('jobs', isJson(output) ? jobsAsFields(output) : fenced(output, fence, fields.length), readJob)

function readJob(values: string[]): QueuedJob {
  const [id = '', native = '', code = '', exit = '', user = '', partition = '', account] = values
  const [nodeCount, cpus, taskCount, perNode, perJob, perTask, nodeList] = values.slice(7)
  const [submit, start, end, limit, name = '', commentText = '', workdir] = values.slice(14)
  const where = standing(native, code, exit)
  const nodes = Number(nodeCount) || 0
  const perEachNode = (sum: number) => Math.ceil(sum / Math.max(nodes, 1))
  const begun = where.state === 'running' || where.state === 'completed'
  const part = arrayPart(id)
  // Fields are listed one by one: with spread objects, reading 10,000 jobs takes six times as long.
  return {
    id: part.id,
    arrayId: part.arrayId,
    arrayTask: part.arrayTask,
    tasks: part.tasks,
    name,
    user,
    state: where.state,
    reason: where.reason,
    ending: where.ending,
    exitCode: where.exitCode,
    nativeState: native,
    nativeReason: text(code) ?? '',
    nodes,
    cores: perEachNode(Number(cpus) || 0),
    // Slurm may distribute cores unevenly, such as three tasks over two nodes.
    allCores: nodes > 1 && Number(cpus) % nodes !== 0 ? Number(cpus) : undefined,
    gpus: gpus(perNode) || perEachNode(gpus(perJob) || gpus(perTask) * Number(taskCount)),
    partition,
    account: text(account),
    workdir: text(workdir),
    nodeList: text(nodeList) ?? '',
    submitTime: time(submit),
    expectedStartTime: begun ? undefined : time(start),
    startTime: begun && text(nodeList) ? time(start) : undefined,
    endTime: where.state === 'completed' ? time(end) : undefined,
    timeLimitS: duration(limit),
    mark: commentText.startsWith(ours) ? commentText.slice(ours.length) : undefined,
  }
}

/** Parses the id of a job (`7`), of a task (`2_4`) or of several waiting tasks (`2_[10-200:2%5]`). */
export function arrayPart(id: string): Pick<QueuedJob, 'id' | 'arrayId' | 'arrayTask' | 'tasks'> {
  const [arrayId = '', task] = id.split('_')
  if (task === undefined) return { id, tasks: 1 }
  const arrayTask = task.replace(/^\[|\]$/g, '').replace(/%\d+$/, '')
  const several = task.startsWith('[')
  return {
    id: several ? `${arrayId}_[${arrayTask}]` : id,
    arrayId,
    arrayTask,
    tasks: several ? countTasks(arrayTask) : 1,
  }
}
