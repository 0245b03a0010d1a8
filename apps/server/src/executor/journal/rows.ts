import os from 'node:os'
import { freeDevices } from '../room'
import { nameOf, type Job, type NodeConfig, type Run, type State, type Task } from './state'
import type { JobRow, NodeRow } from './row-schemas'
import { formatTasks } from '@flotilla/contract/jobs/array'
import { turn, type Wait } from '../waits'
import type { Used } from '../processes'

const common = (job: Job) => ({
  name: job.name,
  user: job.user,
  nodes: job.nodes,
  cores: job.cores,
  gpus: job.gpus,
  partition: '',
  workdir: job.workdir,
  submitTime: job.submitTime,
  timeLimitS: job.limitS,
  mark: job.mark,
})

const place = (task: Task) => (task.places ?? []).map(({ node }) => node).join()

/** The row of a task that is running or has ended. */
function taskRow(run: Run, used?: Used): JobRow {
  const { job, task } = run
  const running = task.state === 'running'
  const ended = task.state === 'ended'
  const memoryMb = task.memoryMb ?? used?.memoryMb
  const cpuS = task.cpuS ?? used?.cpuS
  const until = task.end ?? Date.now()
  return {
    id: nameOf(run),
    ...(task.number !== undefined && { arrayId: String(job.id), arrayTask: String(task.number) }),
    tasks: 1,
    ...common(job),
    state: running ? 'running' : 'completed',
    nativeState: running ? (task.canceled ? 'STOPPING' : 'RUNNING') : endedState(task.ending),
    reason: running && task.canceled ? 'Being canceled' : (task.reason ?? ''),
    nativeReason: '',
    nodeList: place(task),
    startTime: task.start,
    endTime: task.end,
    ending: task.ending,
    exitCode: task.exitCode,
    // Omitted when a running job is merely listed, because it would change with every poll.
    ...((ended || used) &&
      task.start !== undefined && {
        used: {
          wallS: Math.max(0, Math.round((until - task.start) / 1000)),
          ...(cpuS !== undefined && { cpuS: Math.round(cpuS * 100) / 100 }),
          ...(memoryMb !== undefined && { memoryMb: Math.round(memoryMb) }),
        },
      }),
  }
}

/** One row for the waiting tasks of a job and one for its held ones. */
function waitingRows(job: Job, wait: Wait | undefined): JobRow[] {
  const rows: JobRow[] = []
  for (const held of [false, true]) {
    const tasks = job.tasks.filter((task) => task.state === 'waiting' && (task.held ?? false) === held)
    if (tasks.length === 0) continue
    const why = held ? turn.held : wait
    const numbers = job.array && formatTasks(tasks.map(({ number }) => number ?? 0))
    const single = tasks.length === 1 ? numbers : `[${numbers}]`
    rows.push({
      id: numbers === undefined ? String(job.id) : `${job.id}_${single}`,
      ...(numbers !== undefined && { arrayId: String(job.id), arrayTask: numbers }),
      tasks: tasks.length,
      ...common(job),
      state: why?.blocked ? 'blocked' : 'queued',
      nativeState: held ? 'HELD' : 'WAITING',
      reason: why?.text ?? 'Waiting to be scheduled',
      nativeReason: why?.code ?? '',
      nodeList: '',
      ...(why && 'expected' in why && why.expected !== undefined && { expectedStartTime: why.expected }),
    })
  }
  return rows
}

/** All rows of one job. */
export function jobRows(
  job: Job,
  waits: ReadonlyMap<number, Wait>,
  used: (run: Run) => Used | undefined,
): JobRow[] {
  const rows = job.tasks
    .filter((task) => task.state !== 'waiting')
    .map((task) => taskRow({ job, task }, used({ job, task })))
  return [...rows, ...waitingRows(job, waits.get(job.id))]
}

/** Running jobs, waiting jobs in the order of the queue, and recently ended jobs. */
export function queueRows(state: State, waits: ReadonlyMap<number, Wait>): JobRow[] {
  return [
    ...[...state.running.values()].map((run) => taskRow(run)),
    ...[...state.open.values()].flatMap((job) => waitingRows(job, waits.get(job.id))),
    ...state.recent.toReversed().map((run) => taskRow(run)),
  ]
}

export interface Load extends Used {
  /** The number of processors it keeps busy. */
  load: number
}

export function nodeRows(state: State, loadOf: (run: Run) => Load | undefined): NodeRow[] {
  const { config, drained, running } = state
  const devices = freeDevices(config.nodes, running.values())
  const on = new Map<string, Run[]>()
  for (const run of running.values())
    for (const { node } of run.task.places ?? []) {
      const there = on.get(node)
      if (there) there.push(run)
      else on.set(node, [run])
    }
  const share = Math.round(os.totalmem() / 1024 ** 2 / Math.max(1, config.nodes.length))
  // A removed node is shown until its last job has ended.
  const gone = [...on.keys()]
    .filter((name) => !config.nodes.some((node) => node.name === name))
    .map((name): NodeConfig => ({ name, cores: 0, gpus: 0, memoryMb: 0 }))
  return [...config.nodes, ...gone].map(({ name, cores, gpus, memoryMb = share, off = false }) => {
    const runs = on.get(name) ?? []
    const sum = (of: (run: Run) => number) => runs.reduce((total, run) => total + of(run), 0)
    // A job is assumed to use its nodes equally.
    const each = (run: Run, what: keyof Load) => (loadOf(run)?.[what] ?? 0) / run.job.nodes
    const removed = gone.some((node) => node.name === name)
    const offline = removed || off || drained.has(name)
    const drain = drained.has(name) ? 'DRAINED' : runs.length > 0 ? 'BUSY' : 'IDLE'
    return {
      name,
      state: offline ? 'offline' : runs.length > 0 ? 'busy' : 'available',
      nativeState: removed ? 'REMOVED' : off ? 'OFF' : drain,
      note: off ? 'not started' : '',
      cores,
      coresUsed: sum((run) => run.job.cores),
      gpus,
      gpusUsed: gpus - (devices.get(name)?.length ?? 0),
      memoryMb,
      memoryFreeMb: Math.max(0, memoryMb - Math.round(sum((run) => each(run, 'memoryMb')))),
      load: Math.round(sum((run) => each(run, 'load')) * 100) / 100,
      partitions: [],
      reason: removed
        ? 'The node was removed, but its last jobs are still running'
        : (drained.get(name) ?? ''),
      jobs: runs.map(nameOf),
    }
  })
}

const endedState = (ending: Task['ending']): string => (ending ?? 'ended').toUpperCase()
