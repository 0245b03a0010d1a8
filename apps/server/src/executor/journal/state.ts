import type { Network } from '../sandbox/network'

/**
 * What the executor knows, and how each recorded change alters it. The journal holds the changes; reading them again
 * in order gives the same state, so there is no second way to get into one.
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
  /** The most that a job there may have. */
  processes?: number
  /** It could be there, but its machine is not up: jobs that need it wait for it. */
  off?: boolean
}

export interface Config {
  nodes: NodeConfig[]
  /** Folders that jobs may not see when they share the server's account. */
  hide: string[]
  /** Folders that such jobs may not change. */
  readOnly: string[]
}

type Ending = 'succeeded' | 'failed' | 'canceled' | 'timed_out' | 'node_failed'

/** A share of one node; the GPUs are the numbers of those given. */
export interface Place {
  node: string
  gpus: number[]
}

/** One run of the script: a job has one, an array many. */
export interface Task {
  number?: number
  state: 'waiting' | 'running' | 'ended'
  held?: boolean
  /** How often its start was claimed. */
  attempt: number
  /** Stands in the environment of everything that this attempt runs. */
  key?: string
  /** Which start of the machine the attempt belongs to. */
  boot?: string
  places?: Place[]
  /** Someone wants it to end. */
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
  /** Not there in jobs of earlier versions. */
  network?: Network
  env: Record<string, string>
  /** The program that runs the script, with its argument. */
  interpreter: string[]
  /** Under which name the script is in the spool. */
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
  /** The start is claimed: whatever happens next, only this attempt may run. */
  | { op: 'start'; id: number; task?: number; key: string; boot: string; places: Place[]; at: number }
  /** The attempt is known to never have begun. */
  | { op: 'back'; id: number; task?: number; at: number }
  | { op: 'hold'; id: number; tasks?: number[]; held: boolean }
  /** Its wall time is now this. */
  | { op: 'limit'; id: number; limitS: number }
  | { op: 'cancel'; id: number; tasks?: number[]; at: number }
  | ({ op: 'end'; id: number; task?: number; at: number } & End)
  /** Ids are never given twice, also when the jobs that had them are forgotten. */
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
  /** Why each drained node is drained. */
  drained: Map<string, string>
  /** In the order in which they came, as long as they are remembered. */
  jobs: Map<number, Job>
  /** Those of which something waits or runs. */
  open: Map<number, Job>
  /** How many tasks of each of these have not ended. */
  left: Map<number, number>
  running: Map<string, Run>
  marks: Map<string, number>
  /** What ended lately, oldest first. */
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

/** The tasks meant by a change: all, or those with these numbers. */
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

/** Tasks are in the order of their numbers. */
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
      // Canceled before it began: there is nothing to wait for.
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
