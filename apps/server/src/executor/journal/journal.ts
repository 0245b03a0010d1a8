import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { countText } from '@flotilla/contract/count-text'
import { copyAside, linesIn, readChange, type Line } from './journal-lines'
import { apply, emptyState, type Change, type State } from './state'

const DAY = 24 * 3600 * 1000
/** Ended jobs are remembered for long, so that a console that was down for weeks still learns how its jobs ended. */
const REMEMBERED = { tasks: 10_000, ms: 30 * DAY }
/** The file next to the journal in which unreadable lines are kept. */
const REJECTED = 'journal.rejected'
/** Less than the record of any job; bounds how many jobs a lost part of the journal can have contained. */
const JOB_BYTES_MIN = 64

/**
 * The write-ahead journal of every change. All calls are synchronous, so the state in memory and the journal never
 * differ while other code runs.
 */
export class Journal {
  readonly #file: string
  #handle: number
  #size: number
  #lines: number
  readonly state: State

  /** Whether lines were skipped, so that their changes are missing from the state. */
  readonly damaged: boolean

  constructor(folder: string, warn: (text: string) => void) {
    this.#file = path.join(folder, 'journal')
    this.#handle = openSync(this.#file, 'a+', 0o600)
    const { state, lines, end, bad } = replay(this.#handle)
    this.state = state
    this.#lines = lines
    this.#size = end
    this.damaged = bad.length > 0
    // Bytes after the last newline were being written when a previous executor died, and were never acknowledged.
    if (fstatSync(this.#handle).size > end) ftruncateSync(this.#handle, end)
    syncFolder(folder)
    if (this.damaged) this.#reject(bad, warn)
  }

  /** Sets unreadable lines aside for an admin to inspect, and continues without them. */
  #reject(bad: readonly Line[], warn: (text: string) => void): void {
    const at = bad.map(({ from, to }) => `${from}-${to}`).join(', ')
    warn(`Skipped ${countText(bad.length, 'journal line')} that cannot be read, at bytes ${at}`)
    // Ids are never reused, not even those of lost jobs.
    for (const { from, to } of bad) this.state.nextId += Math.ceil((to - from) / JOB_BYTES_MIN)
    try {
      copyAside(this.#handle, bad, path.join(path.dirname(this.#file), REJECTED))
      this.compact(Date.now())
      warn(`They are kept in ${REJECTED}`)
    } catch (error) {
      // Most likely the disk is full. The lines stay in the journal and are skipped again next time.
      warn(`They could not be moved to ${REJECTED}: ${String(error)}`)
    }
  }

  /** Records the changes and applies them. If they cannot be recorded, it throws and nothing has changed. */
  commit(changes: readonly Change[]): void {
    if (changes.length === 0) return
    const data = Buffer.from(changes.map((change) => `${JSON.stringify(change)}\n`).join(''))
    try {
      for (let done = 0; done < data.length;) done += writeSync(this.#handle, data, done)
      fdatasyncSync(this.#handle)
    } catch (error) {
      ftruncateSync(this.#handle, this.#size)
      throw error
    }
    this.#size += data.length
    this.#lines += changes.length
    for (const change of changes) apply(this.state, change)
  }

  /** Whether most records are obsolete, so that compacting is worthwhile. */
  get swollen(): boolean {
    return this.#lines > 2_000 + 3 * this.state.jobs.size
  }

  /** Rewrites the journal as a snapshot of the state, without jobs that ended too long ago. */
  compact(now: number): void {
    forget(this.state, now)
    const changes = snapshot(this.state)
    const data = Buffer.from(changes.map((change) => `${JSON.stringify(change)}\n`).join(''))
    const draft = `${this.#file}.new`
    const handle = openSync(draft, 'w', 0o600)
    try {
      for (let done = 0; done < data.length;) done += writeSync(handle, data, done)
      fsyncSync(handle)
    } catch (error) {
      rmSync(draft, { force: true })
      throw error
    } finally {
      closeSync(handle)
    }
    renameSync(draft, this.#file)
    syncFolder(path.dirname(this.#file))
    closeSync(this.#handle)
    this.#handle = openSync(this.#file, 'a', 0o600)
    this.#size = data.length
    this.#lines = changes.length
  }

  close(): void {
    closeSync(this.#handle)
  }
}

/** A line that is not a record or refers to a job that was lost is skipped and reported as bad. */
function replay(handle: number): { state: State; lines: number; end: number; bad: Line[] } {
  const state = emptyState()
  const bad: Line[] = []
  const reading = linesIn(handle)
  let lines = 0
  let next = reading.next()
  for (; !next.done; next = reading.next()) {
    if (next.value.bytes?.length === 0) continue
    try {
      apply(state, readChange(next.value))
      lines++
    } catch {
      bad.push({ ...next.value, bytes: null })
    }
  }
  return { state, lines, end: next.value, bad }
}

function snapshot({ config, drained, jobs, nextId }: State): Change[] {
  return [
    { op: 'configure', config },
    ...[...drained].map(([node, reason]): Change => ({ op: 'drain', node, reason })),
    { op: 'next', id: nextId },
    ...[...jobs.values()].map((job): Change => ({ op: 'job', job })),
  ]
}

/** Removes ended jobs that are too old or exceed the number of remembered ones. */
function forget(state: State, now: number): void {
  let kept = 0
  for (const job of [...state.jobs.values()].toReversed()) {
    if (state.open.has(job.id)) continue
    kept += job.tasks.length
    const last = Math.max(...job.tasks.map(({ end = 0 }) => end))
    if (kept <= REMEMBERED.tasks && now - last < REMEMBERED.ms) continue
    state.jobs.delete(job.id)
    if (state.marks.get(job.mark) === job.id) state.marks.delete(job.mark)
  }
}

/** Syncs a folder: only then do created, renamed and removed files survive a power failure. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
