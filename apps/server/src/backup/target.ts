import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { writeDurably } from '@flotilla/system/durable-file'
import { isInUse } from '../db/embedded/running'
import { homesPlaces, isReachable } from '../disk/homes'
import { BackupError } from './error'

/** While this file is in DATA_DIR, a restore is not finished, and no server starts on the incomplete site. */
const MARKER = 'restore-in-progress'
/** Files of the embedded database, which records itself how far a restore got. */
const DATABASE = /^(pg\d+(\.new)?|pg-password|pg-superuser\.new|embedded\.lock.*|flotilla-postgresql-.*)$/
/** Entries that belong to the file system itself. */
const ALWAYS_THERE = ['lost+found']

const markerIn = (dataDir: string) => path.join(dataDir, MARKER)

export function requireNoRestore(dataDir: string): void {
  if (existsSync(markerIn(dataDir)))
    throw new Error(
      `A restore into ${dataDir} was interrupted. Run it again: npm run restore -- FILE. It starts over; no cleanup is needed.`,
    )
}

/** Returns the id of a restore that was interrupted in this folder, or null if the folder is empty; fails otherwise. */
export async function requireEmpty(dataDir: string, masterKeyFile: string): Promise<string | null> {
  if (await isInUse(dataDir)) throw new BackupError(`A Flotilla server is using ${dataDir}. Stop it first.`)
  const names = await namesIn(dataDir)
  if (names.includes(MARKER)) return (await readFile(markerIn(dataDir), 'utf8')).trim()
  const [found] = names.filter((name) => !ALWAYS_THERE.includes(name) && !name.startsWith('embedded.lock'))
  if (found !== undefined)
    throw new BackupError(
      `${dataDir} is not empty (it has ${found}). Restore into a new folder: set DATA_DIR to one that is empty or does not exist.`,
    )
  const homes = await homesFor(dataDir)
  if ((await namesIn(homes)).length > 0)
    throw new BackupError(`${homes}, where the home directories are restored to, is not empty. Move it away.`)
  if (existsSync(masterKeyFile))
    throw new BackupError(
      `${masterKeyFile} already exists. Move that master key away, or set MASTER_KEY_FILE to another file.`,
    )
  return null
}

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })

/** The folder for the homes of a server that runs under this account. */
async function homesFor(dataDir: string): Promise<string> {
  const { inside, outside } = homesPlaces(dataDir)
  if (process.getuid?.() !== 0) return inside
  let above = path.dirname(dataDir)
  while (!existsSync(above)) above = path.dirname(above)
  return (await isReachable(above)) ? inside : outside
}

/** Marks the folder as being restored and clears an earlier attempt. Returns where the homes go. */
export async function beginIn(dataDir: string, id: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await writeDurably(markerIn(dataDir), `${id}\n`)
  const homes = await homesFor(dataDir)
  for (const name of await readdir(dataDir))
    if (name !== MARKER && !ALWAYS_THERE.includes(name) && !DATABASE.test(name))
      await rm(path.join(dataDir, name), { recursive: true, force: true })
  await rm(homes, { recursive: true, force: true })
  await mkdir(homes, { recursive: true })
  await chmod(homes, 0o711)
  return homes
}

export const endIn = (dataDir: string): Promise<void> => rm(markerIn(dataDir))
