import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

const STEP_MS = 50
const ZOMBIE_MS = 3000
const RETRY_STOP_MS = 30_000

const read = <T>(get: () => T): T | undefined => {
  try {
    return get()
  } catch {
    return undefined
  }
}

type State = 'gone' | 'zombie' | 'ours' | 'stranger'

/** How the process with this id relates to the data folder. Ids are reused, so a live process proves little. */
export function stateOf(pid: number, folder: string): State {
  if (process.platform !== 'linux') {
    const [stat, command] = ['stat=', 'command='].map((what) =>
      spawnSync('ps', ['-o', what, '-p', String(pid)], { encoding: 'utf8' }).stdout.trim(),
    )
    if (!stat) return 'gone'
    if (stat.startsWith('Z')) return 'zombie'
    return command?.includes(folder) ? 'ours' : 'stranger'
  }
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (stat === undefined) return 'gone'
  // The second field is the program's name in parentheses and may contain anything.
  if (stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')) return 'zombie'
  // A postmaster's working directory is its data folder.
  return read(() => readlinkSync(`/proc/${pid}/cwd`)) === folder ? 'ours' : 'stranger'
}

/**
 * Ends whatever a killed server left running on this data folder, so that the next start needs no manual cleanup. The
 * caller holds the folder's lock, so a live PostgreSQL on it is an orphan or still shutting down.
 */
export async function clearPrevious(folder: string, log: Logger): Promise<void> {
  const file = path.join(folder, 'postmaster.pid')
  let waited = 0
  for (;;) {
    const pid = Number(read(() => readFileSync(file, 'utf8'))?.split('\n')[0])
    if (!Number.isInteger(pid) || pid <= 1) return
    const state = stateOf(pid, folder)
    // PostgreSQL itself cleans up after a process that is gone.
    if (state === 'gone') return
    // PostgreSQL cannot distinguish another process or a zombie from a live server, and would refuse to start.
    if (state === 'stranger' || (state === 'zombie' && waited >= ZOMBIE_MS)) {
      log.info({ pid, state }, 'removing the pid file of a database server that no longer runs')
      rmSync(file, { force: true })
      return
    }
    if (state === 'ours' && waited % RETRY_STOP_MS === 0) {
      log.info({ pid }, 'stopping the database server that an earlier run left behind')
      // Later attempts stop it immediately, without a checkpoint: it recovers at the next start.
      read(() => process.kill(pid, waited === 0 ? 'SIGINT' : 'SIGQUIT'))
    }
    await sleep(STEP_MS)
    waited += STEP_MS
  }
}
