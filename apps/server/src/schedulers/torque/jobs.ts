import { milliseconds, readBounded } from '../bounds'
import { countTasks } from '../request'
import type { JobState, QueuedJob } from '../scheduler'
import { jobEnd } from './endings'
import { explainWait, isSlotHeld } from './reasons'
import { xmlRecords, type XmlRecord } from './xml'

export const MARK = 'FLOTILLA_MARK'

const states = new Map<string, JobState>(
  Object.entries({
    Q: 'queued',
    H: 'blocked',
    W: 'blocked',
    T: 'blocked',
    R: 'running',
    E: 'running',
    S: 'running',
    C: 'completed',
  }),
)

export function readJobs(xml: string): QueuedJob[] {
  const jobs = readBounded('jobs', xmlRecords(xml, 'Job'), readJob)
  // The row of an array is only used if its tasks are not listed.
  const listed = new Set(
    jobs.flatMap(({ id, arrayId }) => (arrayId === undefined || id === arrayId ? [] : [arrayId])),
  )
  return jobs.filter(({ id }) => !listed.has(id))
}

function readJob(job: XmlRecord): QueuedJob {
  const native = job.job_state ?? ''
  const state = isSlotHeld(job) ? 'queued' : (states.get(native) ?? 'blocked')
  const part = arrayPart(job.Job_Id ?? '', job.job_array_request)
  const requested = requestedNodes(job)
  const timeLimitS = seconds(job['Resource_List.walltime'])
  const wallS = seconds(job['resources_used.walltime'])
  const waits = state === 'queued' || state === 'blocked'
  const end = state === 'completed' ? jobEnd(job.exit_status, wallS, timeLimitS) : undefined
  // Fields are listed one by one: with spread objects, reading thousands of jobs takes several times as long.
  return {
    id: part.id,
    arrayId: part.arrayId,
    arrayTask: part.arrayTask,
    tasks: part.tasks,
    name: taskless(job.Job_Name ?? '', part.tasks === 1 ? part.arrayTask : undefined),
    user: job.euser ?? job.Job_Owner?.replace(/@[^@]*$/, '') ?? '',
    state,
    nativeState: native,
    reason: end?.reason ?? (waits ? explainWait(job) : native === 'S' ? 'Suspended' : ''),
    nativeReason: job.comment ?? '',
    nodes: requested.nodes,
    cores: requested.cores,
    gpus: requested.gpus,
    partition: job.queue ?? '',
    account: job.Account_Name,
    workdir: job.init_work_dir,
    nodeList: hosts(job.exec_host),
    submitTime: milliseconds(job.qtime ?? job.ctime),
    startTime: waits ? undefined : milliseconds(job.start_time),
    endTime: end && milliseconds(job.comp_time ?? job.mtime),
    timeLimitS,
    ending: end?.ending,
    exitCode: end?.exitCode,
    used: {
      wallS,
      cpuS: seconds(job['resources_used.cput']),
      memoryMb: megabytes(job['resources_used.mem']),
    },
    // Accounts with read-only access to other users' jobs do not see their variables.
    mark: markOf.exec(job.Variable_List ?? job.submit_args ?? '')?.[1],
  }
}

const markOf = new RegExp(`(?:^|[, ])${MARK}=([\\w.-]+)`)

/** Removes a task's number, which Torque appends to the name. */
const taskless = (name: string, task: string | undefined) =>
  task !== undefined && name.endsWith(`-${task}`) ? name.slice(0, -task.length - 1) : name

/** The names in `tn02/0-1+tn01/2-3`. */
export const hosts = (slots: string | undefined): string =>
  slots === undefined ? '' : [...new Set(slots.split('+').map((slot) => slot.split('/', 1)[0]))].join()

/** Parses the id of a job (`19.head`), a task (`23[1].head`) or an array (`23[].head`) with its requested tasks. */
export function arrayPart(
  id: string,
  requested: string | undefined,
): Pick<QueuedJob, 'id' | 'arrayId' | 'arrayTask' | 'tasks'> {
  const match = /^(\d+)\[(\d*)\](.*)$/.exec(id)
  if (!match) return { id, tasks: 1 }
  const [, number = '', task, server = ''] = match
  const arrayTask = task || requested?.replace(/%\d+$/, '')
  return {
    id,
    arrayId: `${number}[]${server}`,
    arrayTask,
    tasks: task || !arrayTask ? 1 : countTasks(arrayTask),
  }
}

/** Parses requests such as `2:ppn=4:gpus=1` or `n1:ppn=2+n2:ppn=4`; returns the maximum if nodes differ. */
export function requestedNodes(job: XmlRecord): Pick<QueuedJob, 'nodes' | 'cores' | 'gpus'> {
  const chunks = (job['Resource_List.nodes'] ?? '1').split('+')
  const most = (pattern: RegExp, least: number) =>
    Math.max(least, ...chunks.map((chunk) => Number(pattern.exec(chunk)?.[1] ?? least)))
  const sum = chunks.reduce((count, chunk) => count + (Number.parseInt(chunk, 10) || 1), 0)
  return {
    nodes: Number(job['Resource_List.nodect'] ?? sum),
    cores: most(/:ppn=(\d+)/, 1),
    gpus: most(/:gpus=(\d+)/, 0),
  }
}

/**
 * Parses `user=alice group=alice ...` from Torque's accounting files and logs. The first user is the real one: a later
 * one is text that the user wrote, such as an account string. For all other keys the last value is Torque's.
 */
export function keyValues(text: string): Record<string, string> {
  const all = text.split(/\s+/).map((word): [string, string] => {
    const equals = word.indexOf('=')
    return [word.slice(0, Math.max(equals, 0)), word.slice(equals + 1)]
  })
  const user = all.find(([key]) => key === 'user')
  return Object.fromEntries(user ? [...all, user] : all)
}

/** Parses `HH:MM:SS`, with any number of hours, or plain seconds. */
export const seconds = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : value.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)

/** Parses sizes such as `12556kb` into MiB. */
export function megabytes(value: string | undefined): number | undefined {
  const match = /^(\d+)([kmgt]?)(b|w)?$/i.exec(value ?? '')
  if (!match) return undefined
  return Math.round(
    Number(match[1]) * 1024 ** (['', 'k', 'm', 'g', 't'].indexOf((match[2] ?? '').toLowerCase()) - 2),
  )
}
