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

/** The files of one attempt. None of them need survive a power cut: after one, nothing of it runs. */
export interface AttemptFiles {
  folder: string
  /** Created by the one that decides: the guard with its pid, or the executor that revokes the start. */
  begun: string
  ended: string
  output: string
  /** Why it was stopped, when it used more than it may. */
  over: string
  /** The wall time in seconds since it was extended. */
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

/** Each task of an array writes into a file of its own. */
const outputOf = ({ number }: Run['task'], file: string) =>
  number === undefined ? file : `${file}-${number}`

/** The name of an attempt's control group. */
export const groupOf = ({ task }: Run): string => `job-${task.key}`

/** Where the script of an attempt lies while it runs, as its own account sees it. */
const ownFolder = (run: Run) => `/tmp/flotilla-${nameOf(run)}-${run.task.key}`

export interface Launcher {
  spool: string
  support: SandboxSupport
  config: Config
}

/** Starts the guard of a run whose start is claimed; `onEnd` is called when it is gone, begun or not. */
export function launch({ spool, support, config }: Launcher, run: Run, onEnd: () => void): void {
  const { job, task } = run
  const files = attemptFiles(spool, run)
  mkdirSync(files.folder)
  const refused = refusalOf(support, job.runAs, config)
  if (refused !== null) {
    // Was allowed when it was submitted; no longer so.
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
    // As text: a file that the first process of a sandbox holds open can be opened again by every other one in it, and
    // written to where it belongs to their account.
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

/** Ours, and those of Slurm and Torque: a script that was written for them runs here unchanged. */
const ARRAY_TASK_VARIABLES = ['FLOTILLA_ARRAY_TASK', 'SLURM_ARRAY_TASK_ID', 'PBS_ARRAYID']

/** Shell text for the fresh environment of a run: nothing of the server's own is in it. */
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
    // Empty for a job without GPUs, so that it does not use those of others.
    ...(config.nodes.some((node) => node.gpus > 0) && { CUDA_VISIBLE_DEVICES: gpus.join() }),
  }
  return Object.entries(values)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('')
}

/** Whether the start could be taken back; if not, the guard has begun and decides how it ends. */
export function takeBack(files: AttemptFiles): boolean {
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

/** Whether the attempt after those on record has left something behind: its own files, or the job's output. */
export function hasBegun(spool: string, { job, task }: Run): boolean {
  const next = attemptFiles(spool, { job, task: { ...task, attempt: task.attempt + 1 } })
  return [next.folder, next.ended, outputOf(task, job.stdoutPath)].some((file) => {
    try {
      return lstatSync(file, { throwIfNoEntry: false }) !== undefined
    } catch {
      // A file is where a folder was.
      return true
    }
  })
}

/** Removes what an attempt has left behind. No one else can get to where its sandbox kept its files. */
export function clearAway({ spool, support }: Launcher, run: Run): void {
  const files = attemptFiles(spool, run)
  if (support.cgroups) removeCgroup(path.join(support.cgroups, groupOf(run)))
  if (!run.job.runAs) rmSync(ownFolder(run), { recursive: true, force: true })
  // It may hold a great many temporary files of the job; what is left of them is swept at the next start.
  rm(files.folder, { recursive: true, force: true }).catch(() => undefined)
  rmSync(files.ended, { force: true })
}
