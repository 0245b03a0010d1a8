import { api } from '@flotilla/contract/api'
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const START_TIMEOUT_MS = 180_000
const ADMIN_PASSWORD = 'Correct-Horse-7!'

export type Server = {
  url: string
  port: number
  dataDir: string
  admin: { username: string; password: string }
  /** Everything it has logged so far. */
  log: () => string
  pid: number
  /** Sends SIGTERM, like a service manager, and waits for the exit; `kill` sends SIGKILL, like a power failure. */
  stop: () => Promise<void>
  kill: () => Promise<void>
}

/** The port is released before the server takes it; another process is unlikely to pick the same one in between. */
async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = address !== null && typeof address === 'object' ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}

/** Set by `prepareDataDir`; the workers of the test runner inherit it. */
const PREPARED = 'FLOTILLA_E2E_DATA_DIR'

/** A data folder with a migrated database that each server gets a copy of, which halves the time of a first start. */
export async function prepareDataDir(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'flotilla-e2e-prepared-'))
  const server = await startServer({ dataDir })
  await server.stop()
  await endExecutors(dataDir)
  process.env[PREPARED] = dataDir
  return () => rm(dataDir, { recursive: true, force: true })
}

/** Job executors outlive their server, and would change the data folder while it is copied. */
async function endExecutors(dataDir: string): Promise<void> {
  const clusters = join(dataDir, 'clusters')
  for (const id of await readdir(clusters)) {
    const pidFile = join(clusters, id, 'spool/daemon.pid')
    const [pid] = (await readFile(pidFile, 'utf8')).split(' ')
    process.kill(Number(pid), 'SIGTERM')
    // The last thing that an idle executor does is to remove this file.
    while (existsSync(pidFile)) await pause(20)
  }
}

/** A data folder of its own for a server that is started more than once. */
export async function newDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'flotilla-e2e-'))
  const prepared = process.env[PREPARED]
  // Owners and modes are kept, because the database's files belong to a separate account.
  if (prepared) await promisify(execFile)('cp', ['-a', `${prepared}/.`, dataDir])
  return dataDir
}

/**
 * Starts the built server and waits until it responds. Without a `dataDir`, it gets a new one, which `stop` removes;
 * a given `dataDir` is kept, so that another server can be started on it.
 */
export async function startServer(
  options: { env?: Record<string, string>; port?: number; dataDir?: string } = {},
): Promise<Server> {
  const port = options.port ?? (await freePort())
  const dataDir = options.dataDir ?? (await newDataDir())
  const admin = { username: 'admin', password: options.env?.ADMIN_PASSWORD ?? ADMIN_PASSWORD }
  // The server is too short-lived for optimized code to pay off.
  const program = ['--no-opt', '--no-maglev', join(root, 'apps/server/dist/main.js')]
  const child = spawn(process.execPath, program, {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: 'test', // replies are validated
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: admin.password,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (log += text))
  }
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  // A test worker that exits early must not leave servers running.
  const leave = () => child.kill('SIGTERM')
  process.once('exit', leave)
  void exited.then(() => process.removeListener('exit', leave))

  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (!hasExited()) child.kill(signal)
    await exited
  }
  const stop = async () => {
    await end('SIGTERM')
    if (!options.dataDir) await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }

  const url = `http://127.0.0.1:${port}`
  for (const deadline = Date.now() + START_TIMEOUT_MS; ; await pause(50)) {
    if (await isResponding(url + api.health.view.path)) break
    if (hasExited() || Date.now() > deadline) {
      const what = hasExited()
        ? 'ended before it responded'
        : `did not respond within ${START_TIMEOUT_MS / 1000} s`
      await stop()
      throw new Error(`The server ${what}:\n${log}`)
    }
  }
  return { url, port, dataDir, admin, log: () => log, pid: child.pid ?? 0, stop, kill: () => end('SIGKILL') }
}

async function isResponding(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(5000) })).ok
  } catch {
    return false // not listening yet, or too busy
  }
}
