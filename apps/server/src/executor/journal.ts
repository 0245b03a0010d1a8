import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { apply, emptyState, type Change, type State } from './state'

const DAY = 24 * 3600 * 1000
/** So that a console that was away for weeks still learns how its jobs ended. */
const REMEMBERED = { tasks: 10_000, ms: 30 * DAY }

/**
 * The record of every change, on the disk before anybody hears of it. All calls are synchronous: the executor does one
 * thing at a time, and so there is no moment in which what it knows and what it recorded differ.
 */
export class Journal {
  readonly #file: string
  #handle: number
  #size: number
  #lines: number
  readonly state: State

  constructor(folder: string) {
    this.#file = path.join(folder, 'journal')
    const text = existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : ''
    // What follows the last newline was being written when a predecessor died; nobody was told of it.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const { state, lines } = replay(whole)
    this.state = state
    this.#lines = lines
    this.#size = Buffer.byteLength(whole)
    this.#handle = openSync(this.#file, 'a', 0o600)
    ftruncateSync(this.#handle, this.#size)
    syncFolder(folder)
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

  /** Writes the state anew, without what is too old to be asked for. */
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

function replay(text: string): { state: State; lines: number } {
  const state = emptyState()
  let lines = 0
  for (const line of text.split('\n')) {
    if (!line) continue
    // Written by this program, whole, and in this form.
    apply(state, JSON.parse(line) as Change)
    lines++
  }
  return { state, lines }
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
