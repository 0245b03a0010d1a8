import { randomBytes } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'

/**
 * Makes a created, renamed or removed name survive a power failure; fsync of the file itself does not cover its name.
 */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Writes a file atomically, readable only by its owner, and returns once it is on disk. With `keep: true` an existing
 * file is kept and the result is false, so that only one of two servers that start at the same time writes it.
 */
export async function writeDurably(
  file: string,
  data: string | Buffer,
  { keep = false } = {},
): Promise<boolean> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(data)
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (keep) await link(draft, file)
    else await rename(draft, file)
    await syncFolder(path.dirname(file))
    return true
  } catch (error) {
    if (keep && error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}
