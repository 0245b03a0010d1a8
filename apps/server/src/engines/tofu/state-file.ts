import { existsSync } from 'node:fs'
import { copyFile, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { syncFolder } from '@flotilla/system/durable-file'

/** The part of a state file that is readable without its key. An unencrypted state has the same two fields. */
const Envelope = z.object({ serial: z.number(), lineage: z.string() })

const files = (folder: string) => ({
  state: path.join(folder, 'terraform.tfstate'),
  /** Our own copy from before the engine last started to write. */
  before: path.join(folder, 'before.tfstate'),
  errored: path.join(folder, 'errored.tfstate'),
  lock: path.join(folder, '.terraform.tfstate.lock.info'),
})

export const hasStateIn = (folder: string): boolean => existsSync(files(folder).state)

/** Undefined if the file is missing, empty or incomplete. */
async function envelopeOf(file: string) {
  try {
    return Envelope.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * The engine truncates the state file before it rewrites it, so a kill at that moment leaves none. A copy of the last
 * complete state is kept for that case.
 */
export async function keepState(folder: string): Promise<void> {
  const { state, before } = files(folder)
  if (!(await envelopeOf(state))) return
  await copyFile(state, `${before}.new`)
  await rename(`${before}.new`, before)
  await syncFolder(folder)
}

/** Restores the copy if a kill has left no complete state. */
export async function repairState(folder: string): Promise<boolean> {
  const { state, before } = files(folder)
  if ((await envelopeOf(state)) || !(await envelopeOf(before))) return false
  await copyFile(before, `${state}.new`)
  await rename(`${state}.new`, state)
  await syncFolder(folder)
  return true
}

/**
 * Restores the state that an engine could not write to its file. `state push` would do so, but cannot read an encrypted
 * one. The check is the same: it must be of the same lineage, and newer.
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

/** Removes the lock file of a dead holder; the lock itself ended with its process. */
export async function clearLock(folder: string): Promise<boolean> {
  const { lock } = files(folder)
  const there = await readFile(lock).then(
    () => true,
    () => false,
  )
  await rm(lock, { force: true })
  return there
}
