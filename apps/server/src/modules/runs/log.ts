import { setTimeout as sleep } from 'node:timers/promises'
import type { LogLevel } from '@flotilla/contract/clusters/entity'
import type { NewLine } from '../../db/logs'

const EVERY_MS = 200
/** The number of lines per statement, which has a limited number of parameters. */
const AT_ONCE = 1000
/** Keeps a script that prints a line over and over from filling the disk. */
const LINES_MAX = 100_000

/**
 * Writes lines in order and in batches. An engine can print a hundred lines a second, and writing them one by one would
 * take a transaction and a message to every browser for each.
 */
export function batchedLog(write: (lines: NewLine[]) => Promise<void>) {
  let waiting: NewLine[] = []
  /** Resolves when all lines so far are written; rejected once a batch could not be written. */
  let written: Promise<void> = Promise.resolve()
  let count = 0

  const writeBatch = async (before: Promise<void>): Promise<void> => {
    await before
    await sleep(EVERY_MS)
    const lines = waiting
    waiting = []
    for (let at = 0; at < lines.length; at += AT_ONCE) await write(lines.slice(at, at + AT_ONCE))
  }
  return {
    add(text: string, level: LogLevel = 'info'): void {
      count += 1
      if (count > LINES_MAX) return
      waiting.push(
        count === LINES_MAX
          ? { text: `Truncated after ${LINES_MAX} lines`, level: 'warning' }
          : { text, level },
      )
      // The first waiting line starts a batch, which includes the lines that are added until it is written.
      if (waiting.length > 1) return
      written = writeBatch(written)
      // A failure is reported by flush.
      written.catch(() => {})
    },
    /** Resolves when all lines are written, and rejects if one could not be written. */
    flush: (): Promise<void> => written,
  }
}
