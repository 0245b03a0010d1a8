import { execFile } from 'node:child_process'
import { chmod, lchown, lstat, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Queryable } from '../../../db/database'
import { fail } from '../../../fail'
import { homesPlaces, isReachable } from '../../../disk/homes'
import { localUid } from './uids'
import * as store from './store'
import type { LocalAccount } from '../../../transports/local/process'
import { personsAccount } from './named-accounts'

const run = promisify(execFile)
/** How long an account of this machine is cached: it is looked up with every submission. */
const CACHE_MS = 5000

/** Whether this server can act as other accounts. */
export const isRoot = process.getuid?.() === 0

async function homesFolder(dataDir: string): Promise<string> {
  if (isRoot) await chmod(dataDir, 0o711)
  const { inside, outside } = homesPlaces(dataDir)
  const homes = !isRoot || (await isReachable(dataDir)) ? inside : outside
  await mkdir(homes, { recursive: true })
  // Others may traverse it but not list it.
  await chmod(homes, 0o711)
  return homes
}

async function makeHome(dataDir: string, name: string, uid: number | null): Promise<string> {
  const home = path.join(await homesFolder(dataDir), name)
  await mkdir(home, { recursive: true, mode: 0o700 })
  // A job that an admin ran as the console itself could have left a symbolic link here.
  if (!(await lstat(home)).isDirectory())
    fail('no_account', {
      message: `The home directory ${home} is a symbolic link and cannot be used. Ask an admin to remove the link.`,
    })
  if (uid !== null) await lchown(home, uid, uid)
  return home
}

/**
 * A person's own account for the built-in executor: under root, a uid that nothing else on this machine uses; otherwise
 * the server's own, with a separate home. The home is also named by number, as a username may be reused.
 */
export async function ownAccount(
  db: Queryable,
  dataDir: string,
  person: { id: string; username: string },
): Promise<LocalAccount> {
  const number = await localUid(db, person.id)
  const home = await makeHome(dataDir, `${person.username}-${number}`, isRoot ? number : null)
  const [uid, gid] = isRoot ? [number, number] : [process.getuid?.() ?? -1, process.getgid?.() ?? -1]
  return { uid, gid, username: person.username, home }
}

/** The home that the built-in executor made for this person, or null. */
export async function homeOf(
  db: Queryable,
  dataDir: string,
  person: { id: string; username: string },
): Promise<string | null> {
  const uid = await store.uidOf(db, person.id)
  if (uid === undefined) return null
  const { inside, outside } = homesPlaces(dataDir)
  for (const homes of [inside, outside]) {
    const home = path.join(homes, `${person.username}-${uid}`)
    if (await lstat(home).catch(() => null)) return home
  }
  return null
}

/** The server's own account, which admins run jobs as, with a home for their output. */
export const consoleAccount = async (dataDir: string): Promise<LocalAccount> => ({
  uid: process.getuid?.() ?? -1,
  gid: process.getgid?.() ?? -1,
  username: 'the console',
  home: await makeHome(dataDir, '.console', null),
})

const mapped = new Map<string, { account: LocalAccount; at: number }>()

/** The Unix account of the same name on this machine, for resource managers that need real accounts. */
export async function mappedAccount(username: string): Promise<LocalAccount> {
  const known = mapped.get(username)
  if (known && Date.now() - known.at < CACHE_MS) return known.account
  const account = await lookUpAccount(username)
  mapped.set(username, { account, at: Date.now() })
  return account
}

async function lookUpAccount(username: string): Promise<LocalAccount> {
  const line = await run('getent', ['passwd', '--', username]).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  )
  return personsAccount(line, username, 'this machine')
}
