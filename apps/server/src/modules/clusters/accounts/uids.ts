import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Queryable } from '../../../db/database'
import * as store from './store'

const run = promisify(execFile)

/** Beyond what systems give to people, services and containers by themselves. */
const FIRST = 700_001

/**
 * A file for each uid that a console of this machine has given, with the mark of that console. Two consoles on one machine
 * have a database each and know nothing else of each other; with the same uid, people of the one could read what people of
 * the other keep. It lies on the machine and not in DATA_DIR, and only root can write there.
 */
const CLAIMS = '/var/lib/flotilla/uids'

const isRoot = process.getuid?.() === 0

/** The uid of a person's jobs on this machine, given once and for ever. Only under root does anything run with it. */
export async function localUid(db: Queryable, userId: string, claims = CLAIMS): Promise<number> {
  for (;;) {
    const given = await store.uidOf(db, userId)
    if (given !== undefined) return given
    await store.giveUid(db, userId, await nextUid(db, claims))
  }
}

/** For those that were given before there were claims, or on another machine. They are kept, whoever else has them. */
export async function claimGiven(db: Queryable, claims = CLAIMS): Promise<void> {
  if (!isRoot) return
  const given = await store.givenUids(db)
  if (given.length === 0) return
  const mark = await markOf(db)
  for (const uid of given) await claim(claims, uid, mark)
}

async function nextUid(db: Queryable, claims: string): Promise<number> {
  const after = (uids: number[]) => 1 + uids.reduce((most, one) => Math.max(most, one), FIRST - 1)
  const given = await store.givenUids(db)
  if (!isRoot) return after(given)
  const claimed = (await readdir(claims).catch(() => [])).map(Number).filter(Number.isSafeInteger)
  const mark = await markOf(db)
  for (let uid = after([...given, ...claimed]); ; uid++)
    if (!(await isUsed(uid)) && (await claim(claims, uid, mark))) return uid
}

const markOf = async (db: Queryable) =>
  createHash('sha256')
    .update(await store.consoleMark(db))
    .digest('hex')

/** Whether it is this console's now. A disk that cannot be written keeps nobody from working. */
async function claim(claims: string, uid: number, mark: string): Promise<boolean> {
  const file = path.join(claims, String(uid))
  try {
    // What lies beside it may be homes, which people pass through to.
    await mkdir(path.dirname(claims), { recursive: true })
    await mkdir(claims, { recursive: true, mode: 0o700 })
    await writeFile(file, mark, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    return !taken || (await readFile(file, 'utf8').catch(() => '')) === mark
  }
}

/** By a process that runs, or by an account of the system: what no claim tells of. */
async function isUsed(uid: number): Promise<boolean> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const owners = await Promise.all(
    processes.map((pid) =>
      stat(`/proc/${pid}`).then(
        (found) => found.uid,
        () => -1,
      ),
    ),
  )
  if (owners.includes(uid)) return true
  return run('getent', ['passwd', String(uid)]).then(
    () => true,
    () => false,
  )
}
