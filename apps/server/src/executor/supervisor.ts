import { existsSync, readFileSync, statSync, renameSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ranOutOfMemory } from './sandbox/cgroup'
import { attemptFiles, groupOf, launch, takeBack, type AttemptFiles, type Launcher } from './sandbox/launch'
import { lives, withKey } from './processes'
import { nameOf, type End, type Run } from './journal/state'

export type RunStatus =
  | { is: 'running' }
  | { is: 'ended'; end: End; at: number }
  | { is: 'never started'; tried: boolean }

interface Guard {
  pid: number
  born: string
}

const running: RunStatus = { is: 'running' }
const restarted: End = { ending: 'node_failed', reason: 'The machine restarted while the job ran' }
const killed: End = { ending: 'node_failed', reason: 'The process supervising the job was killed' }
const stopped: End = {
  ending: 'node_failed',
  reason: 'Stopped externally: the machine was shut down, or someone killed the process supervising the job',
}

/** Knows the guards of running jobs: those it started and those it finds again after a restart. */
export class Supervisor {
  readonly #spool: string
  readonly #boot: string
  readonly #cgroups: string | null
  readonly #guards = new Map<string, Guard>()
  /** Those started by this process, and whether they are gone. */
  readonly #started = new Map<string, { gone: boolean }>()
  readonly #told = new Map<string, number>()

  /** `cgroups`: below which the control groups of jobs are. */
  constructor(spool: string, boot: string, cgroups: string | null) {
    this.#spool = spool
    this.#boot = boot
    this.#cgroups = cgroups
  }

  began(run: Run, onEnd: () => void, launcher: Launcher): void {
    const child = { gone: false }
    this.#started.set(nameOf(run), child)
    const gone = () => {
      child.gone = true
      onEnd()
    }
    try {
      launch(launcher, run, gone)
    } catch {
      // No room for its files, or no process to be had: it has not begun, and the next look sees that.
      setImmediate(gone)
    }
  }

  forget(run: Run): void {
    const name = nameOf(run)
    this.#guards.delete(name)
    this.#started.delete(name)
    this.#told.delete(name)
  }

  guardOf(run: Run): number | undefined {
    return this.#guard(run, attemptFiles(this.#spool, run))?.pid
  }

  /** Tells the guard to end its job, repeatedly until it has. */
  end(run: Run): void {
    const guard = this.#guard(run, attemptFiles(this.#spool, run))
    const name = nameOf(run)
    if (!guard || Date.now() - (this.#told.get(name) ?? 0) < 900 || !lives(guard.pid, guard.born)) return
    this.#told.set(name, Date.now())
    signal(guard.pid, 'SIGTERM')
  }

  /** Has the guard end its job immediately for exceeding its limits. */
  stop(run: Run, reason: string): void {
    const files = attemptFiles(this.#spool, run)
    const guard = this.#guard(run, files)
    if (!guard || !lives(guard.pid, guard.born)) return
    try {
      writeFileSync(files.over, reason, { flag: 'wx' })
    } catch {
      // It has been told before, or the disk is full: it ends all the same.
    }
    signal(guard.pid, 'SIGUSR2')
  }

  /** The guard looks at it every half minute, and before it ends the job. */
  setLimit(run: Run): void {
    const { limit } = attemptFiles(this.#spool, run)
    writeFileSync(`${limit}.new`, `${run.job.limitS}\n`)
    renameSync(`${limit}.new`, limit)
  }

  statusOf(run: Run): RunStatus {
    const files = attemptFiles(this.#spool, run)
    const ended = this.#endOf(run, files)
    if (ended) return ended
    if (run.task.boot !== this.#boot) return { is: 'ended', end: restarted, at: Date.now() }
    const guard = this.#guard(run, files)
    if (!guard) {
      const child = this.#started.get(nameOf(run))
      if (child && !child.gone) return running
      // It has not begun and now it cannot; or it has just begun, and the next look finds it.
      return takeBack(files) ? { is: 'never started', tried: child !== undefined } : running
    }
    if (lives(guard.pid, guard.born)) return running
    // It may have ended between the two questions.
    const late = this.#endOf(run, files)
    if (late) return late
    const left = withKey(run.task.key ?? '')
    for (const pid of left) signal(pid, 'SIGKILL')
    return left.length > 0 ? running : { is: 'ended', end: killed, at: Date.now() }
  }

  #endOf(run: Run, files: AttemptFiles): RunStatus | undefined {
    const found = readEnd(run, files)
    if (found?.is !== 'ended' || found.end.ending !== 'failed' || !this.#cgroups) return found
    return ranOutOfMemory(path.join(this.#cgroups, groupOf(run)))
      ? { ...found, end: { ...found.end, reason: 'Stopped because it exceeded its memory limit' } }
      : found
  }

  #guard(run: Run, files: AttemptFiles): Guard | undefined {
    const known = this.#guards.get(nameOf(run))
    if (known) return known
    const match = existsSync(files.begun) && /^(\d+) (\d+)\n$/.exec(readFileSync(files.begun, 'utf8'))
    if (!match) return undefined
    const guard = { pid: Number(match[1]), born: match[2] ?? '' }
    this.#guards.set(nameOf(run), guard)
    return guard
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone in this moment.
  }
}

/** What the guard has written about the end; undefined when it has not, or a power cut has torn it. */
function readEnd(run: Run, files: AttemptFiles): RunStatus | undefined {
  const stat = statSync(files.ended, { throwIfNoEntry: false })
  const match =
    stat && /^(\d+) (ended|cancell?ed|timed_out|over) (\d*)\n$/.exec(readFileSync(files.ended, 'latin1'))
  if (!match) return undefined
  const exitCode = Number(match[1])
  const spent = { exitCode, cpuS: Number(match[3]) / 100 }
  return {
    is: 'ended',
    at: Math.round(stat.mtimeMs),
    end: { ...spent, ...ending(run, match[2] ?? '', exitCode, files) },
  }
}

function ending(run: Run, cause: string, code: number, files: AttemptFiles): Pick<End, 'ending' | 'reason'> {
  if (cause === 'over')
    return { ending: 'failed', reason: readIf(files.over) || 'Stopped because it exceeded a limit' }
  if (cause === 'timed_out')
    return { ending: 'timed_out', reason: 'Stopped because it exceeded its wall time' }
  // A guard from before an update spells it with two l.
  if (/^cancell?ed$/.test(cause))
    return run.task.canceled ? { ending: 'canceled', reason: 'Canceled' } : stopped
  if (code === 0) return { ending: 'succeeded', reason: '' }
  const output = readIf(files.output).slice(0, 10_000)
  const failure = /^flotilla: (.*)$/m.exec(output)?.[1]
  if (failure) return { ending: 'failed', reason: `It could not start: ${failure.slice(0, 500)}` }
  if (code === 128 + os.constants.signals.SIGXFSZ)
    return { ending: 'failed', reason: 'Stopped because a file grew larger than the free disk space' }
  return {
    ending: 'failed',
    reason: code > 128 ? `Ended by signal ${code - 128}` : `Ended with exit code ${code}`,
  }
}

const readIf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
