import type { Network } from '../sandbox/network'

/**
 * The executor's state and how each recorded change alters it. Replaying the journal gives the same state, so `apply`
 * is the only code that changes it.
 */

export interface Account {
  uid: number
  gid: number
  username: string
  home: string
}

export interface NodeConfig {
  name: string
  cores: number
  gpus: number
  memoryMb?: number
  /** The maximum number of processes of a job on this node. */
  processes?: number
  /** The node exists, but its machine is not running; jobs that need it wait. */
  off?: boolean
}

export interface Config {
  nodes: NodeConfig[]
  /** Folders hidden from jobs that share the server's account. */
  hide: string[]
  /** Folders that are read-only for such jobs. */
  readOnly: string[]
}

type Ending = 'succeeded' | 'failed' | 'canceled' | 'timed_out' | 'node_failed'

/** An allocation on one node; `gpus` has the device numbers. */
export interface Place {
  node: string
  gpus: number[]
}

/** One run of the script; a job has one, an array several. */
export interface Task {
  number?: number
  state: 'waiting' | 'running' | 'ended'
  held?: boolean
  /** How often its start was claimed. */
  attempt: number
  /** A key in the environment of all processes of this attempt. */
  key?: string
  /** The machine's boot during which the attempt was started. */
  boot?: string
  places?: Place[]
  /** Canceling was requested. */
  canceled?: boolean
  start?: number
  end?: number
  ending?: Ending
  exitCode?: number
  reason?: string
  cpuS?: number
  memoryMb?: number
}

export interface Job {
  id: number
  name: string
  user: string
  nodes: number
  cores: number
  gpus: number
  limitS: number
  workdir: string
  stdoutPath: string
  stderrPath?: string
  mark: string
  runAs: Account | null
  /** Missing in jobs recorded by earlier versions. */
  network?: Network
  env: Record<string, string>
  /** The program that runs the script, with its argument. */
  interpreter: string[]
  /** The script's name in the spool. */
  script: string
  submitTime: number
  array?: { limit?: number }
  tasks: Task[]
}

export type Change =
  | { op: 'configure'; config: Config }
  | { op: 'drain'; node: string; reason: string }
  | { op: 'resume'; node: string }
  | { op: 'job'; job: Job }
  /** The start is claimed: from now on only this attempt may run. */
  | { op: 'start'; id: number; task?: number; key: string; boot: string; places: Place[]; at: number }
  /** The attempt is known to never have begun. */
  | { op: 'back'; id: number; task?: number; at: number }
  | { op: 'hold'; id: number; tasks?: number[]; held: boolean }
  /** The job's new wall time. */
  | { op: 'limit'; id: number; limitS: number }
  | { op: 'cancel'; id: number; tasks?: number[]; at: number }
  | ({ op: 'end'; id: number; task?: number; at: number } & End)
  /** Keeps ids from being reused after their jobs were removed. */
  | { op: 'next'; id: number }

export interface End {
  ending: Ending
  exitCode?: number
  reason: string
  cpuS?: number
  memoryMb?: number
}

export interface State {
  config: Config
  /** The drained nodes with their reasons. */
  drained: Map<string, string>
  /** All remembered jobs in the order of their submission. */
  jobs: Map<number, Job>
  /** Jobs with waiting or running tasks. */
  open: Map<number, Job>
  /** The number of tasks of each open job that have not ended. */
  left: Map<number, number>
  running: Map<string, Run>
  marks: Map<string, number>
  /** Recently ended runs, oldest first. */
  recent: Run[]
  nextId: number
}

export interface Run {
  job: Job
  task: Task
}

export const emptyState = (): State => ({
  config: { nodes: [], hide: [], readOnly: [] },
  drained: new Map(),
  jobs: new Map(),
  open: new Map(),
  left: new Map(),
  running: new Map(),
  marks: new Map(),
  recent: [],
  nextId: 1,
})

export const nameOf = ({ job, task }: Run): string =>
  task.number === undefined ? String(job.id) : `${job.id}_${task.number}`

/** The tasks that a change applies to: those with these numbers, or all if there are none. */
export const tasksOf = (job: Job, numbers: readonly number[] | undefined): Task[] => {
  if (!numbers) return job.tasks
  const wanted = new Set(numbers)
  return job.tasks.filter(({ number }) => number !== undefined && wanted.has(number))
}

function jobOf(state: State, id: number): Job {
  const job = state.jobs.get(id)
  if (!job) throw new Error(`the journal refers to job ${id}, which it does not contain`)
  return job
}

function find(state: State, id: number, number: number | undefined): Run {
  const job = jobOf(state, id)
  const task = job.tasks[number === undefined ? 0 : indexOf(job.tasks, number)]
  if (!task) throw new Error(`the journal refers to task ${number} of job ${id}, which it does not contain`)
  return { job, task }
}

/** Binary search; tasks are sorted by number. */
function indexOf(tasks: readonly Task[], number: number): number {
  let from = 0
  for (let to = tasks.length; from < to;) {
    const middle = (from + to) >> 1
    if ((tasks[middle]?.number ?? 0) < number) from = middle + 1
    else to = middle
  }
  return tasks[from]?.number === number ? from : -1
}

export function apply(state: State, change: Change): void {
  switch (change.op) {
    case 'configure':
      state.config = change.config
      return
    case 'drain':
      state.drained.set(change.node, change.reason)
      return
    case 'resume':
      state.drained.delete(change.node)
      return
    case 'job':
      return addJob(state, change.job)
    case 'start': {
      const run = find(state, change.id, change.task)
      const { key, boot, places, at } = change
      Object.assign(run.task, {
        state: 'running',
        attempt: run.task.attempt + 1,
        key,
        boot,
        places,
        start: at,
      })
      state.running.set(nameOf(run), run)
      return
    }
    case 'back': {
      const run = find(state, change.id, change.task)
      Object.assign(run.task, {
        state: 'waiting',
        key: undefined,
        boot: undefined,
        places: undefined,
        start: undefined,
      })
      state.running.delete(nameOf(run))
      // It was canceled before it began, so it ends now.
      if (run.task.canceled) end(state, run, change.at, canceled)
      return
    }
    case 'hold':
      for (const task of tasksOf(jobOf(state, change.id), change.tasks))
        if (task.state === 'waiting') task.held = change.held || undefined
      return
    case 'limit':
      jobOf(state, change.id).limitS = change.limitS
      return
    case 'cancel': {
      const job = jobOf(state, change.id)
      for (const task of tasksOf(job, change.tasks)) {
        if (task.state === 'ended') continue
        task.canceled = true
        if (task.state === 'waiting') end(state, { job, task }, change.at, canceled)
      }
      return
    }
    case 'end':
      return end(state, find(state, change.id, change.task), change.at, change)
    case 'next':
      state.nextId = Math.max(state.nextId, change.id)
  }
}

const canceled: End = { ending: 'canceled', reason: 'Canceled' }

function addJob(state: State, job: Job): void {
  state.jobs.set(job.id, job)
  state.marks.set(job.mark, job.id)
  state.nextId = Math.max(state.nextId, job.id + 1)
  const left = job.tasks.filter((task) => task.state !== 'ended').length
  if (left > 0) {
    state.open.set(job.id, job)
    state.left.set(job.id, left)
  }
  for (const task of job.tasks) {
    if (task.state === 'running') state.running.set(nameOf({ job, task }), { job, task })
    if (task.state === 'ended') state.recent.push({ job, task })
  }
}

function end(state: State, run: Run, at: number, { ending, exitCode, reason, cpuS, memoryMb }: End): void {
  const { job, task } = run
  Object.assign(task, { state: 'ended', end: at, ending, exitCode, reason, cpuS, memoryMb, held: undefined })
  state.running.delete(nameOf(run))
  state.recent.push(run)
  const left = (state.left.get(job.id) ?? 1) - 1
  state.left.set(job.id, left)
  if (left > 0) return
  state.open.delete(job.id)
  state.left.delete(job.id)
}
