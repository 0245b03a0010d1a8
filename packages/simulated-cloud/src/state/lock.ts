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

/** Undefined when there is none or it was only just let go. */
function heldIn(file: string): Held | undefined {
  try {
    return Held.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * The lock on a state. As with the real engine it goes with the process that holds it: what is left of one that was
 * killed is only a note.
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
        // Only our own: it may have been taken from us.
        if (heldIn(file)?.ID === own.ID) rmSync(file, { force: true })
      }
    }
    const held = heldIn(file)
    if (held && isAlive(held.Holder)) throw new LockedError(held)
    takeAway(file, held?.ID)
  }
}

/** Removes the note of a dead holder, and puts it back if it was another's that came in between. */
function takeAway(file: string, id: string | undefined): void {
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
    if (heldIn(aside)?.ID !== id) renameSync(aside, file)
    else rmSync(aside)
  } catch {
    // Another has taken it away in this moment.
  }
}
