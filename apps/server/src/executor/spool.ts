import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { syncFolder } from './journal/journal'
import { attemptFiles } from './sandbox/launch'
import type { State } from './journal/state'

export function makeFolders(spool: string): void {
  for (const folder of ['scripts', 'run', 'ended'])
    mkdirSync(path.join(spool, folder), { recursive: true, mode: 0o700 })
}

/** Stores a script and returns its name, a hash of its content: a script submitted a thousand times is stored once. */
export function keepScript(spool: string, text: string): string {
  const name = createHash('sha256').update(text).digest('hex')
  const file = path.join(spool, 'scripts', name)
  if (existsSync(file)) return name
  const handle = openSync(`${file}.new`, 'w', 0o600)
  try {
    const data = Buffer.from(text)
    for (let done = 0; done < data.length;) done += writeSync(handle, data, done)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(`${file}.new`, file)
  syncFolder(path.dirname(file))
  return name
}

/** Removes a script that no job needs anymore. */
export function dropScript(spool: string, state: State, name: string): void {
  for (const job of state.open.values()) if (job.script === name) return
  rmSync(path.join(spool, 'scripts', name), { force: true })
}

/** Removes files that no job needs, such as those left behind by an executor that was killed. */
export function sweep(spool: string, state: State): void {
  const scripts = new Set([...state.open.values()].map((job) => job.script))
  const attempts = new Set(
    [...state.running.values()].map((run) => path.basename(attemptFiles(spool, run).folder)),
  )
  for (const [folder, needed] of [
    ['scripts', scripts],
    ['run', attempts],
    ['ended', attempts],
  ] as const)
    for (const name of readdirSync(path.join(spool, folder)))
      if (!needed.has(name)) rmSync(path.join(spool, folder, name), { recursive: true, force: true })
}
