import { existsSync, readFileSync, statSync, renameSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ranOutOfMemory } from './sandbox/cgroup'
import {
  attemptFiles,
  groupOf,
  launch,
  revokeStart,
  type AttemptFiles,
  type Launcher,
} from './sandbox/launch'
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

/** Tracks the guards of running jobs: those it started and those it finds again after a restart. */
export class Supervisor {
  readonly #spool: string
  readonly #boot: string
  readonly #cgroups: string | null
  readonly #guards = new Map<string, Guard>()
  /** The guards started by this process, and whether they have exited. */
  readonly #started = new Map<string, { gone: boolean }>()
  /** When each guard was last signaled to end its job. */
  readonly #signaledAt = new Map<string, number>()

  /** `cgroups`: the parent of the jobs' control groups. */
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
      // Its files could not be written or no process could be started. The next check sees that it has not begun.
      setImmediate(gone)
    }
  }

  forget(run: Run): void {
    const name = nameOf(run)
    this.#guards.delete(name)
    this.#started.delete(name)
    this.#signaledAt.delete(name)
  }

  guardOf(run: Run): number | undefined {
    return this.#guard(run, attemptFiles(this.#spool, run))?.pid
  }

  /** Signals the guard to end its job; repeated calls send at most one signal per 900 ms. */
  end(run: Run): void {
    const guard = this.#guard(run, attemptFiles(this.#spool, run))
    const name = nameOf(run)
    if (!guard || Date.now() - (this.#signaledAt.get(name) ?? 0) < 900 || !lives(guard.pid, guard.born))
      return
    this.#signaledAt.set(name, Date.now())
    signal(guard.pid, 'SIGTERM')
  }

  /** Signals the guard to end its job immediately because it exceeded a limit. */
  stop(run: Run, reason: string): void {
    const files = attemptFiles(this.#spool, run)
    const guard = this.#guard(run, files)
    if (!guard || !lives(guard.pid, guard.born)) return
    try {
      writeFileSync(files.over, reason, { flag: 'wx' })
    } catch {
      // The reason was already written, or the disk is full; the job is ended either way.
    }
    signal(guard.pid, 'SIGUSR2')
  }

  /** The guard reads the limit every 30 seconds and before it ends the job. */
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
      // Either the start is revoked now, or the guard has just begun and the next check finds it.
      return revokeStart(files) ? { is: 'never started', tried: child !== undefined } : running
    }
    if (lives(guard.pid, guard.born)) return running
    // It may have ended between the two checks.
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
    // The process has just exited.
  }
}

/** The end that the guard recorded; undefined if there is no record, or a power failure truncated it. */
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
  // Guards started by an older version write "cancelled".
  if (/^cancell?ed$/.test(cause))
    return run.task.canceled ? { ending: 'canceled', reason: 'Canceled' } : stopped
  if (code === 0) return { ending: 'succeeded', reason: '' }
  const output = readIf(files.output).slice(0, 10_000)
  const failure = /^flotilla: (.*)$/m.exec(output)?.[1]
  if (failure) return { ending: 'failed', reason: `Could not start: ${failure.slice(0, 500)}` }
  if (code === 128 + os.constants.signals.SIGXFSZ)
    return { ending: 'failed', reason: 'Stopped because a file grew larger than the free disk space' }
  return {
    ending: 'failed',
    reason: code > 128 ? `Ended by signal ${code - 128}` : `Ended with exit code ${code}`,
  }
}

const readIf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
