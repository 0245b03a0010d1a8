import { randomInt } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Database } from './db/database'
import type { Users } from './modules/users/users'

const letters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789'
/** Meets the rules for passwords and can be read off a screen. */
const generatePassword = () =>
  `${Array.from({ length: 16 }, () => letters[randomInt(letters.length)]).join('')}-${randomInt(10)}aA!`

/**
 * Makes the account `admin` on an empty database. A generated password lies in a file until it was shown, so that a crash in
 * between does not lock everyone out. Answers the password to show, if one was generated.
 */
export async function ensureFirstAdmin(db: Database, users: Users, dataDir: string, given: string | undefined): Promise<string | null> {
  const file = path.join(dataDir, 'first-password')
  const made = await db.transaction(async (tx) => {
    if (!(await users.claimFirst(tx))) return false
    const password = given ?? generatePassword()
    if (!given) await writeFile(file, password, { mode: 0o600 })
    await users.insert(tx, {
      username: 'admin',
      firstName: 'Site',
      lastName: 'Admin',
      email: 'admin@localhost',
      password,
      role: ['admin', 'user'],
      verified: true,
    })
    return true
  })
  if (given) return null
  const pending = await readFile(file, 'utf8').catch(() => null)
  return made || pending ? pending : null
}

export const forgetFirstPassword = (dataDir: string): Promise<void> => rm(path.join(dataDir, 'first-password'), { force: true })
