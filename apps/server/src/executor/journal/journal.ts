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
/** So that a console that was away for weeks still learns how its jobs ended. */
const REMEMBERED = { tasks: 10_000, ms: 30 * DAY }
/** Where lines that cannot be read are kept, beside the journal. */
const REJECTED = 'journal.rejected'
/** Shorter than the record of any job: so many jobs at most were in so many bytes. */
const JOB_BYTES_MIN = 64

/**
 * The record of every change, on disk before anyone learns of it. All calls are synchronous: the executor does one
 * thing at a time, and so there is no moment in which what it knows and what it recorded differ.
 */
export class Journal {
  readonly #file: string
  #handle: number
  #size: number
  #lines: number
  readonly state: State

  /** Whether lines were skipped: what they said is not in the state. */
  readonly damaged: boolean

  constructor(folder: string, warn: (text: string) => void) {
    this.#file = path.join(folder, 'journal')
    this.#handle = openSync(this.#file, 'a+', 0o600)
    const { state, lines, end, bad } = replay(this.#handle)
    this.state = state
    this.#lines = lines
    this.#size = end
    this.damaged = bad.length > 0
    // What follows the last newline was being written when a predecessor died; it was never acknowledged.
    if (fstatSync(this.#handle).size > end) ftruncateSync(this.#handle, end)
    syncFolder(folder)
    if (this.damaged) this.#reject(bad, warn)
  }

  /** Sets unreadable lines aside for an admin to inspect, and continues without them. */
  #reject(bad: readonly Line[], warn: (text: string) => void): void {
    const at = bad.map(({ from, to }) => `${from}-${to}`).join(', ')
    warn(`Skipped ${countText(bad.length, 'journal line')} that cannot be read, at bytes ${at}`)
    // Ids are never given twice, also not those of jobs that are lost.
    for (const { from, to } of bad) this.state.nextId += Math.ceil((to - from) / JOB_BYTES_MIN)
    try {
      copyAside(this.#handle, bad, path.join(path.dirname(this.#file), REJECTED))
      this.compact(Date.now())
      warn(`They are kept in ${REJECTED}`)
    } catch (error) {
      // The disk is full, most likely: they stay where they are and are skipped again next time.
      warn(`They could not be moved to ${REJECTED}: ${String(error)}`)
    }
  }

  /** Records the changes and makes them; when they cannot be recorded it throws and nothing has changed. */
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

  /** Whether most of what is recorded no longer matters. */
  get swollen(): boolean {
    return this.#lines > 2_000 + 3 * this.state.jobs.size
  }

  /** Writes the state again, without what is too old to be requested. */
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

/** A line that is not a record, or refers to a job that was lost with another line, is bad and changes nothing. */
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

/** Drops jobs that have ended long ago, or before many others. */
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

/** A name that was made, changed or removed survives a power cut only with its folder. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
