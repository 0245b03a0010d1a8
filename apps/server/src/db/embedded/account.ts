import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'

/** PostgreSQL refuses to run as root, so under root it gets an account of its own. */
export interface Account {
  uid: number
  gid: number
}

const ownerOf = (folder: string): Account | undefined => {
  const stat = statSync(folder, { throwIfNoEntry: false })
  return stat && { uid: stat.uid, gid: stat.gid }
}

const idOf = (flag: '-u' | '-g', name: string): number | undefined => {
  const found = spawnSync('id', [flag, name], { encoding: 'utf8' })
  return found.status === 0 ? Number(found.stdout) : undefined
}

const named = (name: string): Account | undefined => {
  const uid = idOf('-u', name)
  const gid = idOf('-g', name)
  return uid === undefined || gid === undefined || uid === 0 ? undefined : { uid, gid }
}

/**
 * The account for the database in `folder`, or undefined to run it under the console's own. The owner of an existing
 * folder decides: an account `postgres` that was installed later must not lock the console out of its own data.
 */
export function databaseAccount(folder: string): Account | undefined {
  const me = process.getuid?.()
  const owner = ownerOf(folder)
  if (me !== 0) {
    if (owner && me !== undefined && owner.uid !== me)
      throw new Error(
        `The database in ${folder} belongs to the account with uid ${owner.uid}. ` +
          'Start Flotilla as that account or as root, or set another DATA_DIR.',
      )
    return undefined
  }
  if (owner && owner.uid !== 0) return owner
  const account = named('postgres') ?? named('nobody')
  if (!account)
    throw new Error(
      'PostgreSQL refuses to run as root and there is no account "postgres" or "nobody" to run it under. ' +
        'Start Flotilla as another account, or set DATABASE_URL to a server.',
    )
  return account
}

/**
 * The environment of child processes. They inherit nothing: the console's has secrets and settings that PostgreSQL
 * obeys.
 */
export const cleanEnvironment = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
