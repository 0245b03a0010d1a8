/**
 * What a resource manager can be asked, whichever it is and wherever it runs: every function gives a command and a
 * reader for its result; nothing here runs anything. A transport runs the command.
 */

export interface CommandResult {
  /** Null when a signal ended the command; 127 when there is no such program. */
  code: number | null
  stdout: string
  stderr: string
  /** Output was thrown away because there was too much of it. */
  truncated?: boolean
}

export interface Query<T> {
  argv: string[]
  stdin?: string
  /** Does nothing before it has read all of stdin, and nothing when that is empty: it may be started beforehand. */
  waitsForInput?: true
  /** Throws a SchedulerError. */
  parse(result: CommandResult): T
}

/** What a person asks to be run. Cores and GPUs are those of each node, as in PBS's `nodes=N:ppn=C:gpus=G`. */
export interface JobRequest {
  name: string
  nodes: number
  cores: number
  gpus: number
  /** HH:MM:SS or D-HH:MM:SS. */
  walltime: string
  script: string
  /** Task numbers of a job array: `0-9`, `1-99:2`, `1,5,7`, each also with `%4` for at most four at a time. */
  array?: string
  workdir: string
  /** Where the output goes; that of task 3 of an array goes to this with `-3` behind it. */
  stdoutPath: string
  /** Errors go to the output when this is missing. */
  stderrPath?: string
  partition?: string
  account?: string
}

export type JobState = 'queued' | 'running' | 'blocked' | 'completed'
export type JobEnding = 'succeeded' | 'failed' | 'canceled' | 'timed_out' | 'node_failed'

/** A job, a task of an array, or the tasks of an array that wait together. Times are milliseconds. */
export interface QueuedJob {
  /** What cancel, hold and release take. */
  id: string
  /** The id that submitting the array answered. */
  arrayId?: string
  /** The task's number, or the numbers as `10-200:2` when several stand together in one row. */
  arrayTask?: string
  /** How many tasks this row stands for: 1 unless it is the waiting rest of an array. */
  tasks: number
  name: string
  user: string
  state: JobState
  nativeState: string
  /** Why it waits or how it ended, in plain words; empty when there is nothing to say. */
  reason: string
  nativeReason: string
  nodes: number
  /** Of each node, rounded up where the nodes differ. */
  cores: number
  gpus: number
  /** Of all nodes together, where that is not simply nodes times cores. */
  allCores?: number
  partition: string
  account?: string
  workdir?: string
  /** As the resource manager writes it; `expandNodes` gives the names. */
  nodeList: string
  submitTime?: number
  /** When it may start, if the resource manager has made a plan. */
  expectedStartTime?: number
  startTime?: number
  endTime?: number
  /** Missing when there is no limit. */
  timeLimitS?: number
  ending?: JobEnding
  /** As a shell would report it: 128 plus the signal's number when a signal ended the script. */
  exitCode?: number
  used?: ResourcesUsed
  /** That of the submission, when it is one of ours. */
  mark?: string
  /** Whose account said so, where it was not the one that administers the cluster: it may tell about its own jobs what it likes. */
  reportedBy?: string
}

interface ResourcesUsed {
  wallS?: number
  cpuS?: number
  memoryMb?: number
}

/** A job that got its nodes, as the resource manager's own records have it. Cores and GPUs are those of all nodes. */
export interface UsageRecord {
  id: string
  arrayId?: string
  name: string
  user: string
  state: string
  nodes: number
  cores: number
  gpus: number
  nodeList: string
  startTime: number
  /** Missing while it runs. */
  endTime?: number
  /** That of the submission, when it is one of ours and the source says so. */
  mark?: string
  /** Whose account said so, as of a row of the queue. */
  reportedBy?: string
}

/** What the resource manager's own records tell of a time. */
export interface UsageRead {
  records: UsageRecord[]
  /** When they begin, where that may be later than the time that was asked about. */
  since?: number
  /** Times in which some could not be read. */
  gaps?: { from: number; to: number }[]
}

export type NodeState = 'available' | 'busy' | 'down' | 'offline' | 'unknown'

export interface NodeInfo {
  name: string
  state: NodeState
  nativeState: string
  /** `not started` and the like: what the state alone does not say. */
  note: string
  cores: number
  coresUsed: number
  gpus: number
  gpusUsed: number
  memoryMb: number
  memoryFreeMb?: number
  load?: number
  partitions: string[]
  /** Why it is down or offline, as given by the person or program that set it. */
  reason: string
  /** Ids of the jobs on it, where the resource manager reports them with the node. */
  jobs?: string[]
}

export interface Scheduler {
  /** The submission script as a person would write it, for looking at. */
  preview(job: JobRequest): string
  /**
   * Returns the job's id. The mark, made for this submission alone, stays with the job: after a submit of unknown
   * outcome `findByMark` tells whether it arrived. Empty for a job that was accepted without a word, as some scripts
   * ask for: its mark finds it.
   */
  submit(job: JobRequest, mark: string): Query<string>
  /**
   * The job's id, or undefined when the account that asks has none with this mark. Ask in turn until one answers an id; when one
   * fails nothing is known, and nothing may be submitted again. A job that the resource manager has forgotten is not
   * found: look for its output file too.
   */
  findByMark(mark: string): Query<string | undefined>[]
  cancel(id: string): Query<void>
  /** Takes a job out of the queue whose node is dead, with the rights of a manager. Not where `cancel` does that too. */
  purge?(id: string): Query<void>
  /** Only for jobs that wait: a running one is neither stopped nor refused. */
  hold(id: string): Query<void>
  release(id: string): Query<void>
  /** Lets a job run for this many seconds in total. Most resource managers allow it to their operators only. */
  extend(id: string, seconds: number): Query<void>
  /** Everything that waits or runs, and what ended lately. */
  queue(): Query<QueuedJob[]>
  /** Why the account does not see the jobs of others, with what to do about it; null when it does. Missing where all do. */
  hiddenJobs?(): Query<string | null>
  /** One row for a job; for an array a row for each task and one for those that wait together. */
  jobDetail(id: string): Query<QueuedJob[]>
  /**
   * How these jobs ended. Ask in turn until every id is answered: each way reaches further back than the one before,
   * and answers nothing where a cluster does not have it. `arrays` has the tasks of those that are arrays.
   */
  history(ids: string[], arrays?: Record<string, string>): Query<QueuedJob[]>[]
  /**
   * What only the account of these jobs can tell about them, also where they still run: asked as that account, with the
   * folders they ran in. Missing where the account that administers the cluster sees everything.
   */
  ownHistory?(ids: string[], folders: string[]): Query<QueuedJob[]>[]
  /**
   * Jobs that ran between these times, also those that no queue remembers. Ask in turn until one is not null: it is where
   * the cluster does not keep these records. Fails with `too_much` when there are more than are read at once: ask about
   * less time.
   */
  usage(from: number, to: number): Query<UsageRead | null>[]
  nodes(): Query<NodeInfo[]>
  nodeDetail(name: string): Query<NodeInfo>
  /** Starts nothing new on the node; what runs there continues. */
  drain(name: string, reason: string): Query<void>
  resume(name: string): Query<void>
}

/** What a row of the queue says about usage; undefined for a job that has not started. */
export function usageOf(job: QueuedJob): UsageRecord | undefined {
  const { id, arrayId, name, user, nodes, gpus, nodeList, startTime, endTime, mark, reportedBy } = job
  if (startTime === undefined || (job.state !== 'running' && job.state !== 'completed')) return undefined
  if (job.state === 'completed' && endTime === undefined) return undefined
  return {
    id,
    ...(arrayId !== undefined && { arrayId }),
    name,
    user,
    state: job.ending ?? 'running',
    nodes,
    cores: job.allCores ?? nodes * job.cores,
    gpus: nodes * gpus,
    nodeList,
    startTime,
    ...(mark !== undefined && { mark }),
    ...(reportedBy !== undefined && { reportedBy }),
    // A clock that was set back does not make time negative.
    ...(endTime !== undefined && { endTime: Math.max(startTime, endTime) }),
  }
}

/**
 * Whether two names mean one account: directories may change its case, and write it with its realm in one place and
 * without it in another.
 */
export function isSameAccount(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  return a === b || a.startsWith(`${b}@`) || b.startsWith(`${a}@`)
}

/** Of a submission: whose it is, and the account that it runs as. */
export type SubmissionOwner = {
  id: string
  user_id: string | null
  run_as_admin: boolean
  account: string
}
/**
 * Whether the job with a submission's number is the submission's: of its account, or with its mark. What a person's account
 * tells counts for that person alone, whatever mark it writes and whichever names of accounts mean the same.
 */
export function isOurs(job: QueuedJob, row: SubmissionOwner): boolean {
  const isAccount = !row.run_as_admin && isSameAccount(job.user, row.account)
  if (job.reportedBy !== undefined) return isAccount && job.reportedBy === row.user_id
  return isAccount || row.run_as_admin || job.mark === row.id
}

/** What submitting a job answered, also for a task of an array. */
export const numberOf = (job: Pick<QueuedJob, 'id' | 'arrayId'>): string => job.arrayId ?? job.id

/** Whose job it is and its number: where everyone tells of their own jobs, someone may name the number of another's. */
export const ownedNumber = (job: Pick<QueuedJob, 'id' | 'arrayId' | 'user' | 'reportedBy'>): string =>
  `${job.reportedBy ?? job.user} ${numberOf(job)}`

/** Whether a row of the queue is the job with this id, or a part of the array with this id. */
export const belongsTo = (job: QueuedJob, id: string): boolean => job.id === id || job.arrayId === id
