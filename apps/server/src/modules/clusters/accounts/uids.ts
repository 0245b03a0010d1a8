import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Queryable } from '../../../db/database'
import * as store from './store'

const run = promisify(execFile)

/** Above the ranges that systems assign to people, services and containers. */
const FIRST = 700_001

/**
 * A file for each uid that a console on this machine has assigned, with the id of that console. Two consoles on one
 * machine have separate databases and do not know of each other; if they assigned the same uid, people of one could read
 * the files of people of the other. The folder is on the machine, not in DATA_DIR, and only root can write to it.
 */
const CLAIMS = '/var/lib/flotilla/uids'

const isRoot = process.getuid?.() === 0

/** The uid of a person's jobs on this machine, assigned permanently. Processes run with it only under root. */
export async function localUid(db: Queryable, userId: string, claims = CLAIMS): Promise<number> {
  for (;;) {
    const given = await store.uidOf(db, userId)
    if (given !== undefined) return given
    await store.assignUid(db, userId, await nextUid(db, claims))
  }
}

/** Claims uids assigned before claims existed or on another machine. They are kept even if someone else has them. */
export async function claimAssigned(db: Queryable, claims = CLAIMS): Promise<void> {
  if (!isRoot) return
  const given = await store.assignedUids(db)
  if (given.length === 0) return
  const mark = await markOf(db)
  for (const uid of given) await claim(claims, uid, mark)
}

async function nextUid(db: Queryable, claims: string): Promise<number> {
  const after = (uids: number[]) => 1 + uids.reduce((most, one) => Math.max(most, one), FIRST - 1)
  const given = await store.assignedUids(db)
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

/** Whether this console now owns the uid. A read-only or full disk must not keep anyone from working. */
async function claim(claims: string, uid: number, mark: string): Promise<boolean> {
  const file = path.join(claims, String(uid))
  try {
    // The homes may be next to it, and people must be able to traverse to them.
    await mkdir(path.dirname(claims), { recursive: true })
    await mkdir(claims, { recursive: true, mode: 0o700 })
    await writeFile(file, mark, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    return !taken || (await readFile(file, 'utf8').catch(() => '')) === mark
  }
}

/** Whether a running process or a system account uses the uid, which no claim records. */
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
