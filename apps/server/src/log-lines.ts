import { setTimeout as sleep } from 'node:timers/promises'

const EVERY_MS = 200
/** In one statement, which has room for so many values and no more. */
const AT_ONCE = 1000
/** A script that says the same for hours is not to fill the disk. */
const MOST = 100_000

/**
 * Writes lines in the order in which they came, several at once: an engine says a hundred things a second, and each line
 * of its own would be a transaction and a message to every browser.
 */
export function makeLines(write: (lines: string[]) => Promise<void>) {
  let waiting: string[] = []
  /** All that was written or waits to be: rejected once one could not be written. */
  let written: Promise<void> = Promise.resolve()
  let count = 0

  const writeSoon = async (before: Promise<void>): Promise<void> => {
    await before
    await sleep(EVERY_MS)
    const lines = waiting
    waiting = []
    for (let at = 0; at < lines.length; at += AT_ONCE) await write(lines.slice(at, at + AT_ONCE))
  }
  return {
    add(line: string): void {
      count += 1
      if (count > MOST) return
      waiting.push(count === MOST ? `There is more: only ${MOST} lines are kept` : line)
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
