import { randomBytes } from 'node:crypto'
import { mkdir, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { BackupStatus } from '@flotilla/contract/site/backups'
import { BackupError } from '../../backup/error'
import { messageOf } from '../../explain'
import { fail } from '../../fail'

const NAME = /^flotilla-(daily|manual)-[\w-]+\.backup$/

export const defaultFolder = (dataDir: string) => path.join(dataDir, 'backups')

export const fileName = (kind: 'daily' | 'manual', at: Date): string =>
  `flotilla-${kind}-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z.backup`

/** The parent folder must exist, so that a volume that is not mounted yet is not mistaken for an empty folder. */
export const makeFolder = (folder: string): Promise<void> =>
  mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw new BackupError(`The folder ${folder} cannot be created: ${messageOf(error)}`, { cause: error })
  })

/** Requires that backups can be written to the folder, and that the console uses it for nothing else. */
export async function requireUsable(folder: string, dataDir: string): Promise<string> {
  const refuse = (message: string) => fail('bad_input', { fields: { folder: message } })
  const resolved = path.resolve(folder)
  // What is in DATA_DIR goes into each backup, and its assets are served to everyone.
  const isInside = (place: string) => !path.relative(dataDir, place).startsWith('..')
  const mine = defaultFolder(dataDir)
  if (isInside(resolved) && resolved !== mine)
    return refuse(`Choose a folder outside of DATA_DIR, or ${mine}`)
  try {
    await makeFolder(resolved)
    const real = await realpath(resolved)
    const home = await realpath(dataDir)
    if (!path.relative(home, real).startsWith('..') && real !== defaultFolder(home))
      return refuse('This folder is a link into DATA_DIR')
    const probe = path.join(resolved, `.flotilla-${randomBytes(6).toString('hex')}`)
    await writeFile(probe, '', { flag: 'wx', mode: 0o600 })
    await rm(probe)
  } catch (error) {
    return refuse(`The server cannot write to this folder: ${messageOf(error)}`)
  }
  return resolved
}

/** The backups in the folder, newest first. A folder that does not exist yet counts as empty. */
export async function listFolder(folder: string): Promise<Pick<BackupStatus, 'files' | 'folderProblem'>> {
  try {
    const names = (await readdir(folder)).filter((name) => NAME.test(name))
    const files = await Promise.all(
      names.map(async (name) => {
        const { size, mtimeMs } = await stat(path.join(folder, name))
        return { name, bytes: size, madeAt: Math.floor(mtimeMs) }
      }),
    )
    return { files: files.toSorted((a, b) => b.madeAt - a.madeAt), folderProblem: null }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return { files: [], folderProblem: isMissing ? null : messageOf(error) }
  }
}
