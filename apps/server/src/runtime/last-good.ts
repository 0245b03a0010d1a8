import { rm } from 'node:fs/promises'
import type { Logger } from 'pino'
import { writeDurably } from '@flotilla/system/durable-file'
import { readSmallFile } from '../disk/small-file'

/** Keeps the last valid content of an operator's file in DATA_DIR, so that it survives a restart. */
export function openLastGood<T>(file: string, log: Logger, parse: (stored: unknown) => T) {
  /** The text on disk: null if there is no file, undefined before the first read. */
  let stored: string | null | undefined
  const load = async (): Promise<string | null> => {
    const found = await readSmallFile(file)
    if (found === 'missing') return null
    return 'text' in found ? found.text : ''
  }
  return {
    /** Null if there never was a valid file. Damaged text counts as no values. */
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
        // The stored values may be less strict than those in effect, so after a restart it is safer to have none.
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
