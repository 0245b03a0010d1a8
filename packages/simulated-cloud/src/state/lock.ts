import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import * as z from 'zod/mini'
import { birthOf, isAlive } from '@flotilla/system/alive'
import { writeDurably } from '@flotilla/system/durable-file'

const Held = z.object({
  ID: z.string(),
  Operation: z.string(),
  Who: z.string(),
  Created: z.string(),
  Holder: z.object({ pid: z.number(), born: z.string(), boot: z.string() }),
})
type Held = z.infer<typeof Held>

export class LockedError extends Error {
  readonly held: Held
  constructor(held: Held) {
    super('resource temporarily unavailable')
    this.held = held
  }
}

/** Undefined if there is no lock or it has just been released. */
function heldIn(file: string): Held | undefined {
  try {
    return Held.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * The lock on a state. As with the real engine, it ends with its holder: the lock file of a killed process does not
 * block anyone.
 */
export async function lockState(folder: string, operation: string): Promise<() => void> {
  const file = path.join(folder, '.terraform.tfstate.lock.info')
  const own: Held = {
    ID: randomUUID(),
    Operation: operation,
    Who: `${os.userInfo().username}@${os.hostname()}`,
    Created: new Date().toISOString(),
    Holder: birthOf(process.pid) ?? { pid: process.pid, born: '', boot: '' },
  }
  const text = JSON.stringify({ ...own, Version: 'simulated', Path: 'terraform.tfstate', Info: '' })
  for (;;) {
    if (await writeDurably(file, text, { keep: true })) {
      return () => {
        // Another process may have taken over the lock.
        if (heldIn(file)?.ID === own.ID) rmSync(file, { force: true })
      }
    }
    const held = heldIn(file)
    if (held && isAlive(held.Holder)) throw new LockedError(held)
    removeStaleLock(file, held?.ID)
  }
}

/** Removes the lock file of a dead holder, and restores it if another process has locked the state in the meantime. */
function removeStaleLock(file: string, id: string | undefined): void {
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
    if (heldIn(aside)?.ID !== id) renameSync(aside, file)
    else rmSync(aside)
  } catch {
    // Another process has just removed the file.
  }
}
