import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockFolder } from './folder-lock'
import { USER } from './initialize'

const TRIES = 50
const WAIT_MS = 200
/** The line of PostgreSQL's pid file that has its port. */
const PORT_LINE = 3

/** Whether a server has the database of this folder open. */
export async function isInUse(dataDir: string): Promise<boolean> {
  if (!existsSync(dataDir)) return false
  const unlock = await lockFolder(await realpath(dataDir))
  await unlock?.()
  return unlock === undefined
}

/** The URL of the embedded database that a running server has open. Only its own account and root can read it. */
export async function runningUrl(dataDir: string, folder: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      const password = (await readFile(path.join(dataDir, 'pg-password'), 'utf8')).trim()
      const port = Number(
        (await readFile(path.join(folder, 'postmaster.pid'), 'utf8')).split('\n')[PORT_LINE],
      )
      if (port > 0) return `postgres://${USER}:${password}@127.0.0.1:${port}/${USER}`
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EACCES')
        throw new Error(
          `The database in ${folder} belongs to another account. Run this command as the account that runs Flotilla, or as root.`,
          { cause: error },
        )
      // The database is starting, perhaps after it died.
      if (tries === TRIES) throw error
    }
    await sleep(WAIT_MS)
  }
}
