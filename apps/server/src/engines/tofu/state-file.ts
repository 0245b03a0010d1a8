import { existsSync } from 'node:fs'
import { copyFile, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { syncFolder } from '@flotilla/system/durable-file'

/** What can be read of a state without its key. A plain one has the same two. */
const Envelope = z.object({ serial: z.number(), lineage: z.string() })

const files = (folder: string) => ({
  state: path.join(folder, 'terraform.tfstate'),
  /** Ours: as it was before the engine last began to write. */
  before: path.join(folder, 'before.tfstate'),
  errored: path.join(folder, 'errored.tfstate'),
  lock: path.join(folder, '.terraform.tfstate.lock.info'),
})

export const hasStateIn = (folder: string): boolean => existsSync(files(folder).state)

/** Undefined for a file that is missing, empty or torn. */
async function envelopeOf(file: string) {
  try {
    return Envelope.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * The engine empties the state's file before it rewrites it, so a kill in that moment leaves none. A copy of the
 * last whole one is kept for that.
 */
export async function keepState(folder: string): Promise<void> {
  const { state, before } = files(folder)
  if (!(await envelopeOf(state))) return
  await copyFile(state, `${before}.new`)
  await rename(`${before}.new`, before)
  await syncFolder(folder)
}

/** Puts the kept copy back where a kill has left no whole state. */
export async function repairState(folder: string): Promise<boolean> {
  const { state, before } = files(folder)
  if ((await envelopeOf(state)) || !(await envelopeOf(before))) return false
  await copyFile(before, `${state}.new`)
  await rename(`${state}.new`, state)
  await syncFolder(folder)
  return true
}

/**
 * Puts in place the state that an engine could not write where it belongs. `state push` would do it, but does not read
 * an encrypted one; the check is the same: of the same line, and newer.
 */
export async function pushErrored(folder: string): Promise<boolean> {
  const { state, errored } = files(folder)
  const saved = await envelopeOf(errored)
  if (!saved) return false
  const now = await envelopeOf(state)
  const newer = !now || (now.lineage === saved.lineage && now.serial < saved.serial)
  if (newer) await rename(errored, state)
  else await rm(errored)
  await syncFolder(folder)
  return newer
}

/** The note of a lock whose holder is gone; the lock itself went with the process. */
export async function clearLock(folder: string): Promise<boolean> {
  const { lock } = files(folder)
  const there = await readFile(lock).then(
    () => true,
    () => false,
  )
  await rm(lock, { force: true })
  return there
}
