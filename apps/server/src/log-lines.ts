import { setTimeout as sleep } from 'node:timers/promises'

const EVERY_MS = 200

/**
 * Writes lines in the order in which they came, several at once: an engine says a hundred things a second, and each line
 * of its own would be a transaction and a message to every browser.
 */
export function makeLines(write: (lines: string[]) => Promise<void>) {
  let waiting: string[] = []
  /** All that was written or waits to be: rejected once one could not be written. */
  let written: Promise<void> = Promise.resolve()

  const writeSoon = async (before: Promise<void>): Promise<void> => {
    await before
    await sleep(EVERY_MS)
    const lines = waiting
    waiting = []
    if (lines.length > 0) await write(lines)
  }
  return {
    add(line: string): void {
      waiting.push(line)
      // The first that waits is taken with those that come while it does.
      if (waiting.length > 1) return
      written = writeSoon(written)
      // Whoever flushes hears of a failure.
      written.catch(() => {})
    },
    /** Resolves when all is written, and rejects when that was not possible. */
    flush: (): Promise<void> => written,
  }
}
