/**
 * The interface of all resource managers, wherever they run. Every function returns a command and a parser for its
 * result; a transport runs the command.
 */

export interface CommandResult {
  /** Null if a signal ended the command; 127 if there is no such program. */
  code: number | null
  stdout: string
  stderr: string
  /** Output was discarded because there was too much of it. */
  truncated?: boolean
}

export interface Query<T> {
  argv: string[]
  stdin?: string
  /** It has no effect until it has read all of stdin, and none if stdin is empty, so it may be started beforehand. */
  waitsForInput?: true
  /** Throws a SchedulerError. */
  parse(result: CommandResult): T
}

/** A user's request for a job. Cores and GPUs are per node, as in PBS's `nodes=N:ppn=C:gpus=G`. */
export interface JobRequest {
  name: string
  nodes: number
  cores: number
  gpus: number
  /** HH:MM:SS or D-HH:MM:SS. */
  walltime: string
  script: string
  /** Task numbers of a job array: `0-9`, `1-99:2` or `1,5,7`, optionally with `%4` for at most four at a time. */
  array?: string
  workdir: string
  /** The output file; task 3 of an array appends `-3` to the name. */
  stdoutPath: string
  /** If it is missing, errors go to the output file. */
  stderrPath?: string
  partition?: string
  account?: string
}

export type JobState = 'queued' | 'running' | 'blocked' | 'completed'
export type JobEnding = 'succeeded' | 'failed' | 'canceled' | 'timed_out' | 'node_failed'

/** A job, a task of an array, or the waiting tasks of an array. Times are in milliseconds. */
export interface QueuedJob {
  /** The id for cancel, hold and release. */
  id: string
  /** The id that was returned when the array was submitted. */
  arrayId?: string
  /** The task's number, or numbers such as `10-200:2` if the row stands for several tasks. */
  arrayTask?: string
  /** The number of tasks that this row stands for: 1 unless it has the waiting tasks of an array. */
  tasks: number
  name: string
  user: string
  state: JobState
  nativeState: string
  /** Why it waits or how it ended, as text for users; may be empty. */
  reason: string
  nativeReason: string
  nodes: number
  /** Cores per node, rounded up if the nodes differ. */
  cores: number
  gpus: number
  /** The cores of all nodes together, if that is not nodes times cores. */
  allCores?: number
  partition: string
  account?: string
  workdir?: string
  /** The resource manager's list; `expandNodes` returns the names. */
  nodeList: string
  submitTime?: number
  /** When it may start, if the resource manager has planned it. */
  expectedStartTime?: number
  startTime?: number
  endTime?: number
  /** Missing if there is no limit. */
  timeLimitS?: number
  ending?: JobEnding
  /** As a shell reports it: 128 plus the signal's number if a signal ended the script. */
  exitCode?: number
  used?: ResourcesUsed
  /** The mark of the submission, if the job is one of ours. */
  mark?: string
  /** The user whose account reported this row, if it was not the cluster's own account. Such reports may be forged. */
  reportedBy?: string
}

interface ResourcesUsed {
  wallS?: number
  cpuS?: number
  memoryMb?: number
}

/** A started job from the resource manager's own records. Cores and GPUs are totals over all nodes. */
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
  /** Missing while the job runs. */
  endTime?: number
  /** The mark of the submission, if the job is one of ours and the source has it. */
  mark?: string
  /** The user whose account reported it; see `QueuedJob`. */
  reportedBy?: string
}

/** The resource manager's own usage records of a time range. */
export interface UsageRead {
  records: UsageRecord[]
  /** The start of the records, if it may be later than the start of the requested range. */
  since?: number
  /** Time ranges in which some records could not be read. */
  gaps?: { from: number; to: number }[]
}

export type NodeState = 'available' | 'busy' | 'down' | 'offline' | 'unknown'

export interface NodeInfo {
  name: string
  state: NodeState
  nativeState: string
  /** A detail that the state alone does not show, such as `not started`. */
  note: string
  cores: number
  coresUsed: number
  gpus: number
  gpusUsed: number
  memoryMb: number
  memoryFreeMb?: number
  load?: number
  partitions: string[]
  /** Why it is down or offline, as given by the user or program that set it. */
  reason: string
  /** The ids of the jobs on it, if the resource manager reports them with the node. */
  jobs?: string[]
}

export interface Scheduler {
  /** The submission script as a user would write it, for display. */
  preview(job: JobRequest): string
  /**
   * Returns the job's id. The mark, unique to this submission, stays with the job: after a submit with an unknown
   * outcome, `findByMark` finds out whether it arrived. The id is empty if the job was accepted without output, as some
   * scripts request; its mark finds it.
   */
  submit(job: JobRequest, mark: string): Query<string>
  /**
   * The job's id, or undefined if the querying account has no job with this mark. Run the queries in turn until one
   * returns an id. If one fails, the outcome is unknown and nothing may be resubmitted. A job that the resource manager
   * has forgotten is not found, so check for its output file too.
   */
  findByMark(mark: string): Query<string | undefined>[]
  cancel(id: string): Query<void>
  /** Removes a job whose node is dead from the queue; needs a manager's rights. Missing if `cancel` does that too. */
  purge?(id: string): Query<void>
  /** Only for waiting jobs: a running one is neither stopped nor rejected. */
  hold(id: string): Query<void>
  release(id: string): Query<void>
  /** Sets a job's time limit to this many seconds in total. Most resource managers allow this only to operators. */
  extend(id: string, seconds: number): Query<void>
  /** All waiting and running jobs, and those that ended recently. */
  queue(): Query<QueuedJob[]>
  /** Why the account cannot see other users' jobs and how to change it; null if it can. Missing if all accounts can. */
  hiddenJobs?(): Query<string | null>
  /** One row for a job; for an array, one row per started task and one for the waiting tasks. */
  jobDetail(id: string): Query<QueuedJob[]>
  /**
   * How these jobs ended. Run the queries in turn until every id is found: each source reaches further back than the
   * previous one and returns nothing if the cluster lacks it. `arrays` has the tasks of the ids that are arrays.
   */
  history(ids: string[], arrays?: Record<string, string>): Query<QueuedJob[]>[]
  /**
   * The state of these jobs as only their own account can see it, run as that account with the jobs' folders. Also
   * reports running jobs. Missing if the cluster's own account sees everything.
   */
  ownHistory?(ids: string[], folders: string[]): Query<QueuedJob[]>[]
  /**
   * Jobs that ran between these times, including those no longer in the queue. Run the queries in turn until one is not
   * null, which means that the cluster does not keep these records. Fails with `too_much` if there are too many records
   * to read at once; query a shorter range then.
   */
  usage(from: number, to: number): Query<UsageRead | null>[]
  nodes(): Query<NodeInfo[]>
  nodeDetail(name: string): Query<NodeInfo>
  /** Keeps new jobs from starting on the node; running jobs continue. */
  drain(name: string, reason: string): Query<void>
  resume(name: string): Query<void>
}

/** The usage record of a row of the queue; undefined if the job has not started. */
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
    // A clock that was set back must not make the duration negative.
    ...(endTime !== undefined && { endTime: Math.max(startTime, endTime) }),
  }
}

/**
 * Whether two names refer to the same account. Directories may change the case of a name, and may write it with or
 * without its realm.
 */
export function isSameAccount(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  return a === b || a.startsWith(`${b}@`) || b.startsWith(`${a}@`)
}

/** The owner of a submission and the account that it runs as. */
export type SubmissionOwner = {
  id: string
  user_id: string | null
  run_as_admin: boolean
  account: string
}
/**
 * Whether the job with a submission's number belongs to the submission: it has its account or its mark. Reports of a
 * user's own account only count for that user, whatever marks and account names they contain.
 */
export function isOurs(job: QueuedJob, row: SubmissionOwner): boolean {
  const isAccount = !row.run_as_admin && isSameAccount(job.user, row.account)
  if (job.reportedBy !== undefined) return isAccount && job.reportedBy === row.user_id
  return isAccount || row.run_as_admin || job.mark === row.id
}

/** The id that was returned on submission; for a task, the id of its array. */
export const numberOf = (job: Pick<QueuedJob, 'id' | 'arrayId'>): string => job.arrayId ?? job.id

/** The job's owner and number: where users report their own jobs, one could report the number of another user's job. */
export const ownedNumber = (job: Pick<QueuedJob, 'id' | 'arrayId' | 'user' | 'reportedBy'>): string =>
  `${job.reportedBy ?? job.user} ${numberOf(job)}`

/** Whether a row of the queue is the job with this id or part of the array with this id. */
export const belongsTo = (job: QueuedJob, id: string): boolean => job.id === id || job.arrayId === id
