import { setTimeout as sleep } from 'node:timers/promises'
import type { LogLevel } from '@flotilla/contract/clusters/entity'
import type { NewLine } from '../../db/logs'

const EVERY_MS = 200
/** In one statement, which has room for a limited number of values. */
const AT_ONCE = 1000
/** A script that says the same for hours is not to fill the disk. */
const LINES_MAX = 100_000

/**
 * Writes lines in the order in which they came, several at once: an engine says a hundred things a second, and each line
 * of its own would be a transaction and a message to every browser.
 */
export function batchedLog(write: (lines: NewLine[]) => Promise<void>) {
  let waiting: NewLine[] = []
  /** All that was written or waits to be: rejected once one could not be written. */
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
      // The first that waits is taken with those that come while it does.
      if (waiting.length > 1) return
      written = writeBatch(written)
      // A failure is reported by flush.
      written.catch(() => {})
    },
    /** Resolves when all is written, and rejects when that was not possible. */
    flush: (): Promise<void> => written,
  }
}
