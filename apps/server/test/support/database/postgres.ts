import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { cleanEnvironment, databaseAccount } from '../../../src/db/embedded/account'
import { databasePrograms } from '../../../src/db/embedded/binaries'
import { freePort } from '../../../src/db/embedded/postmaster'

/** The programs of the newest PostgreSQL that the system has installed. */
async function installed(): Promise<string | undefined> {
  const root = '/usr/lib/postgresql'
  const versions = (await readdir(root).catch(() => [])).toSorted((a, b) => Number(b) - Number(a))
  return versions[0] && path.join(root, versions[0], 'bin')
}

export interface TestPostgres {
  url: string
  /** Shuts the server down cleanly, as an administrator does. */
  stop(): Promise<void>
  /** Kills every process of the server at once, as a power failure does. */
  kill(): Promise<void>
  /** Suspends every process of the server: connections stay open but get no replies. */
  pause(): Promise<void>
  /** Resumes the processes, which then answer the queries sent meanwhile. */
  resume(): Promise<void>
  /** Starts the server again on the same port. */
  start(): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

/**
 * A private PostgreSQL for tests in which the database fails: the system's version, or the one from npm if there is
 * none. It runs without Flotilla's launcher, so that only the test restarts it.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-postgres-'))
  const data = path.join(folder, 'data')
  const account = databaseAccount(data)
  if (account) await chown(folder, account.uid, account.gid)
  const programs = (await installed()) ?? databasePrograms(folder, account, pino({ level: 'silent' }))
  const port = await freePort()
  const options = { ...account, cwd: '/', env: cleanEnvironment }

  const made = spawnSync(
    path.join(programs, 'initdb'),
    ['-D', data, '-U', 'tester', '--auth=trust', '--encoding=UTF8', '--locale=C'],
    { ...options, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`)

  let child: ChildProcess | undefined
  const start = () =>
    new Promise<void>((resolve, reject) => {
      const args = [
        '-D',
        data,
        '-p',
        String(port),
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        'unix_socket_directories=',
      ]
      // It has a process group of its own, so that `kill` ends the backends too.
      const started = spawn(path.join(programs, 'postgres'), args, {
        ...options,
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      })
      child = started
      let output = ''
      started.stderr.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        if (output.includes('ready to accept connections')) resolve()
      })
      started.on('error', reject)
      started.once('close', (code, signal) =>
        reject(new Error(`PostgreSQL ended (${signal ?? code}): ${output}`)),
      )
    })
  const end = (how: (pid: number) => void) =>
    new Promise<void>((resolve) => {
      if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('close', () => resolve())
      how(child.pid)
    })
  const stop = () => end((pid) => process.kill(pid, 'SIGINT'))

  /** Signals the postmaster first, so that it forks no further backends. */
  const signalAll = async (signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> => {
    const postmaster = child?.pid ?? 0
    process.kill(postmaster, signal)
    for (const entry of await readdir('/proc')) {
      const stat = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '') : ''
      if (Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]) !== postmaster) continue
      try {
        process.kill(Number(entry), signal)
      } catch {
        // The process has already ended.
      }
    }
  }

  await start()
  return {
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    url: `postgres://tester@127.0.0.1:${port}/postgres`,
    start,
    stop,
    kill: () => end((pid) => process.kill(-pid, 'SIGKILL')),
    remove: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
