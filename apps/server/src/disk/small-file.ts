import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'

/** Far more than any file that an operator writes by hand. */
const MAX_BYTES = 1024 * 1024

export type SmallFile = { text: string } | { problem: string } | 'missing'

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'

/** A stamp that differs whenever the file, its owner or its mode may have changed. */
export async function stampOf(file: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file)
    return [mtimeMs, ctimeMs, size, ino].join(' ')
  } catch (error) {
    return codeOf(error)
  }
}

/** Reads a file an operator wrote. Opening a FIFO would wait for a writer, and a huge file would fill the memory. */
export async function readSmallFile(file: string): Promise<SmallFile> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const found = await handle.stat()
      if (!found.isFile()) return { problem: 'is not a regular file' }
      if (found.size > MAX_BYTES) return { problem: 'is larger than 1 MB' }
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(found.size), 0, found.size, 0)
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, bytesRead)) }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof TypeError) return { problem: 'is not UTF-8 text' }
    return codeOf(error) === 'ENOENT' ? 'missing' : { problem: `cannot be read (${codeOf(error)})` }
  }
}
