import type { ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { requireDurable } from '../connection/durability'
import { databaseAccount } from './account'
import { databasePrograms } from './binaries'
import { lockFolder } from './folder-lock'
import { initialize, USER, type Site } from './initialize'
import { freePort, launch } from './postmaster'
import { clearPrevious } from './previous'
import { isInUse, runningUrl } from './running'

/** The major version of PostgreSQL that npm installs: only it can read a data folder that it made. */
const MAJOR = 18
const FIRST_START_TRIES = 5
const BACKOFF_MS = { first: 100, most: 5000 }
const TIMEOUT_MS = 30_000

export interface EmbeddedDatabase {
  url: string
  stop(): Promise<void>
}

/**
 * Runs the PostgreSQL that npm installed, on a data folder of its own in DATA_DIR, accessible from this machine only.
 * If it dies, it is restarted on the same port, so that every pool recovers on its own.
 */
export async function startEmbedded(dataDir: string, log: Logger): Promise<EmbeddedDatabase> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const home = realpathSync(dataDir)
  const folder = path.join(home, `pg${MAJOR}`)
  requireSameMajor(home, folder)
  const account = databaseAccount(folder)
  // The database's account must be able to traverse the folder, but cannot list it.
  chmodSync(home, account ? 0o711 : 0o700)

  const unlock = await lockFolder(home)
  if (!unlock)
    throw new Error(
      `Another Flotilla server is using ${home}. Stop it first or set another DATA_DIR; ` +
        'to run several servers, share a PostgreSQL server through DATABASE_URL.',
    )
  try {
    const site: Site = { programs: databasePrograms(home, account, log), folder, account }
    await clearPrevious(folder, log)
    const password = await initialize(site, home)
    const { child, port } = await firstStart(site, log)
    const url = `postgres://${USER}:${password}@127.0.0.1:${port}/${USER}`
    const stop = supervise(site, port, child, log)
    try {
      await requireDurable(url)
    } catch (error) {
      await stop()
      throw error
    }
    return {
      url,
      stop: async () => {
        await stop()
        await unlock()
      },
    }
  } catch (error) {
    await unlock()
    throw error
  }
}

/** Uses the database that a running server has open or, if none runs, starts it. */
export async function connectOrStartEmbedded(dataDir: string, log: Logger): Promise<EmbeddedDatabase> {
  const folder = path.join(dataDir, `pg${MAJOR}`)
  if (!existsSync(folder)) throw new Error(`There is no database in ${dataDir}. Check DATA_DIR.`)
  if (!(await isInUse(dataDir))) return startEmbedded(dataDir, log)
  return { url: await runningUrl(dataDir, folder), stop: async () => {} }
}

/** Starting a new, empty database beside one of another version would look as if everything were lost. */
function requireSameMajor(home: string, folder: string): void {
  const [other] = readdirSync(home).filter((name) => /^pg\d+$/.test(name))
  if (existsSync(folder) || other === undefined) return
  throw new Error(
    `${home} holds a database of PostgreSQL ${other.slice(2)}, but this version of Flotilla runs PostgreSQL ${MAJOR}. ` +
      'See docs/dependencies.md for how to upgrade it. Nothing was changed.',
  )
}

async function firstStart(site: Site, log: Logger): Promise<{ child: ChildProcess; port: number }> {
  for (let tries = 1; ; tries++) {
    const port = await freePort()
    try {
      return { child: await launch(site, port, log), port }
    } catch (error) {
      // Another program may have taken the port since it was found free, and the backends of a killed server need a
      // moment to notice that it is gone.
      if (tries === FIRST_START_TRIES) throw error
      log.warn({ err: error }, 'the database server did not start, retrying')
      await sleep(BACKOFF_MS.first * 2 ** tries)
      await clearPrevious(site.folder, log)
    }
  }
}

const ended = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

const end = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (ended(child)) return resolve()
    // SIGINT is a fast, clean stop. If it hangs, SIGQUIT skips the checkpoint, which costs a recovery but no data.
    const forceStop = setTimeout(() => child.kill('SIGQUIT'), TIMEOUT_MS)
    child.once('exit', () => {
      clearTimeout(forceStop)
      resolve()
    })
    child.kill('SIGINT')
  })

/** Keeps one server running on the port until the returned function is called. */
function supervise(site: Site, port: number, first: ChildProcess, log: Logger): () => Promise<void> {
  let child = first
  const stopping = new AbortController()

  const running = (async () => {
    let wait = BACKOFF_MS.first
    while (!stopping.signal.aborted) {
      if (!ended(child)) {
        await new Promise((resolve) => child.once('exit', resolve))
        if (stopping.signal.aborted) return
        log.error(
          { code: child.exitCode, signal: child.signalCode },
          'the database server died, starting it again',
        )
      }
      try {
        await clearPrevious(site.folder, log)
        child = await launch(site, port, log)
        wait = BACKOFF_MS.first
        log.info('the database server is back')
      } catch (error) {
        log.error({ err: error, wait }, 'the database server did not start, retrying')
        await sleep(wait, undefined, { signal: stopping.signal }).catch(() => {})
        wait = Math.min(wait * 2, BACKOFF_MS.most)
      }
    }
  })()

  return async () => {
    stopping.abort()
    await end(child)
    await running
    // It may have been restarted just before the stop.
    await end(child)
  }
}
