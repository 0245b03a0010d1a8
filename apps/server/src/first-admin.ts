import { randomInt } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Role } from '@flotilla/contract/access'
import type { Database } from './db/database'
import { writeDurably } from '@flotilla/system/durable-file'
import type { Clusters } from './modules/clusters/clusters'
import type { Users } from './modules/users/users'

const letters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789'
/** The password meets the rules for passwords and is easy to read off a screen. */
const generatePassword = () =>
  `${Array.from({ length: 16 }, () => letters[randomInt(letters.length)]).join('')}-${randomInt(10)}aA!`

type Options = {
  db: Database
  users: Users
  clusters: Pick<Clusters, 'insertFirst'>
  dataDir: string
  given: string | undefined
}

/**
 * Creates the account `admin` and the cluster `This machine` in an empty database. A generated password is kept in a
 * file until it has been shown, so that a crash in between does not lock everyone out. Returns the password to show,
 * if one was generated.
 */
export async function ensureFirstAdmin({
  db,
  users,
  clusters,
  dataDir,
  given,
}: Options): Promise<string | null> {
  const file = path.join(dataDir, 'first-password')
  await db.transaction(async (tx) => {
    if (!(await users.claimFirst(tx))) return
    const password = given ?? generatePassword()
    // The password of an earlier start that failed must not be shown later.
    if (given) await rm(file, { force: true })
    else await writeDurably(file, password)
    const role: Role[] = ['admin', 'user']
    const id = await users.insert(tx, {
      username: 'admin',
      firstName: 'Site',
      lastName: 'Admin',
      email: 'admin@localhost',
      password,
      role,
      verified: true,
    })
    await clusters.insertFirst(tx, { id, username: 'admin' }, os.availableParallelism())
  })
  return readFile(file, 'utf8').catch(() => null)
}

export const forgetFirstPassword = (dataDir: string): Promise<void> =>
  rm(path.join(dataDir, 'first-password'), { force: true })
