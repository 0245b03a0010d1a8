import { spawn } from 'node:child_process'
import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { sandboxEntry, ownAccount, plainEnvironment, refusalOf, type SandboxSupport } from './isolation'
import { removeCgroup } from './cgroup'
import { inside } from '../guard'
import { limitsOfJob } from './limits'
import { closedNetwork } from './network'
import { nameOf, type Config, type Run } from '../journal/state'

/** The files of one attempt. They need not survive a power failure, after which the attempt no longer runs. */
export interface AttemptFiles {
  folder: string
  /** Created by the guard with its pid when it begins, or by the executor to revoke the start. */
  begun: string
  ended: string
  output: string
  /** Why it was stopped, if it exceeded a limit. */
  over: string
  /** The new wall time in seconds, if the job was extended. */
  limit: string
}

export function attemptFiles(spool: string, run: Run): AttemptFiles {
  const name = `${nameOf(run)}.${run.task.attempt}`
  const folder = path.join(spool, 'run', name)
  return {
    folder,
    begun: path.join(folder, 'begun'),
    ended: path.join(spool, 'ended', name),
    output: path.join(folder, 'said'),
    over: path.join(folder, 'over'),
    limit: path.join(folder, 'limit'),
  }
}

/** Each task of an array writes to its own file. */
const outputOf = ({ number }: Run['task'], file: string) =>
  number === undefined ? file : `${file}-${number}`

/** The name of an attempt's control group. */
export const groupOf = ({ task }: Run): string => `job-${task.key}`

/** The folder with the script of a running attempt, as seen by the job's account. */
const ownFolder = (run: Run) => `/tmp/flotilla-${nameOf(run)}-${run.task.key}`

export interface Launcher {
  spool: string
  support: SandboxSupport
  config: Config
}

/** Starts the guard of a run whose start is claimed. `onEnd` is called when the guard exits, even if it never began. */
export function launch({ spool, support, config }: Launcher, run: Run, onEnd: () => void): void {
  const { job, task } = run
  const files = attemptFiles(spool, run)
  mkdirSync(files.folder)
  const refused = refusalOf(support, job.runAs, config)
  if (refused !== null) {
    // It was allowed when it was submitted, but no longer is.
    writeFileSync(files.output, `flotilla: ${refused}\n`)
    writeFileSync(files.begun, 'refused')
    writeFileSync(files.ended, '126 ended 0\n')
    setImmediate(onEnd)
    return
  }
  const enter = sandboxEntry(support, job.runAs, config, {
    spool,
    place: path.join(files.folder, 'place'),
    network: job.network ?? closedNetwork,
    limits: limitsOfJob(job, config),
    group: groupOf(run),
  })
  const own = ownFolder(run)
  writeFileSync(path.join(files.folder, 'env'), environment(run, config, own), { mode: 0o600 })
  const errors = job.stderrPath === undefined ? '' : outputOf(task, job.stderrPath)
  const args = [
    path.join(spool, 'guard.sh'),
    files.folder,
    files.ended,
    String(job.limitS),
    task.key ?? '',
    enter.hold,
    path.join(spool, 'scripts', job.script),
    'nice',
    '-n',
    '5',
    ...enter.argv,
    // The program is passed as text: any process in a sandbox can reopen a file that its first process holds open, and
    // write to it if it belongs to the same account.
    'sh',
    '-c',
    inside,
    'inside',
    own,
    job.workdir,
    outputOf(task, job.stdoutPath),
    errors,
    ...job.interpreter,
  ]
  const output = openSync(files.output, 'a', 0o600)
  try {
    const child = spawn('sh', args, {
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'ignore', output],
      env: plainEnvironment,
    })
    child.once('error', onEnd)
    child.once('exit', onEnd)
    child.unref()
  } finally {
    closeSync(output)
  }
}

const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`

/** Includes the variables of Slurm and Torque, so that scripts written for them run unchanged. */
const ARRAY_TASK_VARIABLES = ['FLOTILLA_ARRAY_TASK', 'SLURM_ARRAY_TASK_ID', 'PBS_ARRAYID']

/** Shell text for the environment of a run, which inherits nothing from the server. */
function environment({ job, task }: Run, config: Config, own: string): string {
  const home = job.runAs?.home ?? ownAccount().home
  const gpus = (task.places ?? []).flatMap((place) => place.gpus)
  const values: Record<string, string> = {
    ...plainEnvironment,
    HOME: home,
    USER: job.user,
    LOGNAME: job.user,
    SHELL: '/bin/bash',
    ...job.env,
    FLOTILLA_JOB_ID: String(job.id),
    FLOTILLA_JOB_NAME: job.name,
    FLOTILLA_JOB_KEY: task.key ?? '',
    FLOTILLA_NODES: (task.places ?? []).map(({ node }) => node).join(' '),
    FLOTILLA_NODEFILE: `${own}/nodes`,
    FLOTILLA_CORES: String(job.cores),
    FLOTILLA_GPUS: String(job.gpus),
    ...Object.fromEntries(
      task.number === undefined ? [] : ARRAY_TASK_VARIABLES.map((name) => [name, String(task.number)]),
    ),
    // Empty for a job without GPUs, so that it does not use the GPUs of other jobs.
    ...(config.nodes.some((node) => node.gpus > 0) && { CUDA_VISIBLE_DEVICES: gpus.join() }),
  }
  return Object.entries(values)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('')
}

/** Revokes a claimed start. Returns false if the guard has already begun. */
export function revokeStart(files: AttemptFiles): boolean {
  try {
    mkdirSync(files.folder, { recursive: true })
    const note = path.join(files.folder, 'taken-back')
    writeFileSync(note, 'back')
    linkSync(note, files.begun)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      return readFileSync(files.begun, 'utf8') === 'back'
    throw error
  }
}

/** Whether an attempt after the recorded ones left files behind: its own or the job's output. */
export function hasBegun(spool: string, { job, task }: Run): boolean {
  const next = attemptFiles(spool, { job, task: { ...task, attempt: task.attempt + 1 } })
  return [next.folder, next.ended, outputOf(task, job.stdoutPath)].some((file) => {
    try {
      return lstatSync(file, { throwIfNoEntry: false }) !== undefined
    } catch {
      // A path component is a file instead of a folder.
      return true
    }
  })
}

/** Removes what an attempt left behind. Other users cannot access the sandbox's files. */
export function removeAttemptFiles({ spool, support }: Launcher, run: Run): void {
  const files = attemptFiles(spool, run)
  if (support.cgroups) removeCgroup(path.join(support.cgroups, groupOf(run)))
  if (!run.job.runAs) rmSync(ownFolder(run), { recursive: true, force: true })
  // Not awaited, since it may contain many temporary files of the job; leftovers are removed at the next start.
  rm(files.folder, { recursive: true, force: true }).catch(() => undefined)
  rmSync(files.ended, { force: true })
}
