import { setTimeout as sleep } from 'node:timers/promises'

const EVERY_MS = 200

/**
 * Writes lines in the order in which they came, several at once: an engine says a hundred things a second, and each line
 * of its own would be a transaction and a message to every browser.
 */
export function makeLines(write: (lines: string[]) => Promise<void>) {
  let waiting: string[] = []
  let writing: Promise<void> | undefined
  let failure: unknown

  const writeAll = async (): Promise<void> => {
    await sleep(EVERY_MS)
    while (waiting.length > 0) {
      const lines = waiting
      waiting = []
      try {
        await write(lines)
      } catch (error) {
        failure = error
        return
      }
    }
  }
  return {
    add(line: string): void {
      waiting.push(line)
      writing ??= writeAll().finally(() => (writing = undefined))
    },
    /** Resolves when all is written, and rejects when that was not possible. */
    async flush(): Promise<void> {
      while (writing) await writing
      if (failure !== undefined) throw failure
    },
  }
}
