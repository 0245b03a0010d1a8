import { rm } from 'node:fs/promises'
import type { Logger } from 'pino'
import { writeDurably } from '@flotilla/system/durable-file'
import { readSmallFile } from '../disk/small-file'

/** What an operator's file said when it was last valid. Kept in DATA_DIR, so that a restart does not forget it. */
export function openLastGood<T>(file: string, log: Logger, parse: (stored: unknown) => T) {
  /** As it is on the disk. */
  let stored: string | null | undefined
  const load = async (): Promise<string | null> => {
    const found = await readSmallFile(file)
    if (found === 'missing') return null
    return 'text' in found ? found.text : ''
  }
  return {
    /** Null when there never was one. One that is damaged holds no values. */
    async read(): Promise<T | null> {
      stored ??= await load()
      if (stored === null) return null
      try {
        return parse(JSON.parse(stored))
      } catch {
        return parse(undefined)
      }
    },
    async write(value: T): Promise<void> {
      const text = `${JSON.stringify(value)}\n`
      if (text === stored) return
      stored = text
      try {
        await writeDurably(file, text)
      } catch (error) {
        log.error({ err: error, file }, 'the last valid configuration cannot be saved')
        // The stored values may be laxer than those in effect: after a restart, none are better.
        await rm(file, { force: true }).catch(() => {})
      }
    },
    async forget(): Promise<void> {
      stored = null
      await rm(file, { force: true }).catch((error: unknown) =>
        log.error({ err: error, file }, 'the last valid configuration cannot be removed'),
      )
    },
  }
}
