import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { cleanEnvironment, databaseAccount } from '../../../src/db/embedded/account'
import { databasePrograms } from '../../../src/db/embedded/binaries'
import { freePort } from '../../../src/db/embedded/postmaster'

/** The system's PostgreSQL, the newest when there are several. */
async function installed(): Promise<string | undefined> {
  const root = '/usr/lib/postgresql'
  const versions = (await readdir(root).catch(() => [])).toSorted((a, b) => Number(b) - Number(a))
  return versions[0] && path.join(root, versions[0], 'bin')
}

export interface TestPostgres {
  url: string
  /** A clean stop, as an administrator does it. */
  stop(): Promise<void>
  /** As if the power went: every process of the server at once. */
  kill(): Promise<void>
  /** Every process of the server stands still: connections stay open and nothing is answered. */
  pause(): Promise<void>
  /** They continue with what they were asked in the meantime. */
  resume(): Promise<void>
  /** Again on the same port. */
  start(): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

/**
 * A private PostgreSQL for tests in which the database goes away: the system's own, or where none is installed the
 * one from npm. Without Flotilla's launcher, so that no one starts it again but the test.
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
      // A group of its own, so that `kill` reaches the backends too.
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

  /** The server's own first: it makes no new ones then. */
  const signalAll = async (signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> => {
    const postmaster = child?.pid ?? 0
    process.kill(postmaster, signal)
    for (const entry of await readdir('/proc')) {
      const stat = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '') : ''
      if (Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]) !== postmaster) continue
      try {
        process.kill(Number(entry), signal)
      } catch {
        // It has ended on its own.
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
