import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import net from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Logger } from 'pino'
import { cleanEnvironment } from './account'
import { folderName, type Site } from './initialize'

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Shared memory in /dev/shm is often too small in containers.
  dynamic_shared_memory_type: 'mmap',
  // One server needs up to forty; in the tests several share a database. A slot costs next to nothing.
  max_connections: '200',
  shared_buffers: '64MB',
  random_page_cost: '1.1',
  // Fewer checkpoints mean less writing. They limit the time of a recovery, not what is kept.
  checkpoint_timeout: '15min',
  max_wal_size: '512MB',
  // There are no replicas, so nothing is written for them.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  // An acknowledged write is on disk, whatever the configuration files in the folder say.
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // Failing statements are reported to the client; in this log they could reveal what users entered.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_line_prefix: '',
  lc_messages: 'C',
}

/**
 * Makes the kernel stop PostgreSQL, cleanly, if this process dies in any way. Otherwise a `kill -9` would leave an
 * orphan until the next start.
 */
const withParentDeathSignal = () =>
  process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'INT', 'true']).status === 0
    ? ['setpriv', '--pdeathsig', 'INT']
    : []

/** Starts PostgreSQL on the port and returns when it accepts connections. */
export function launch(site: Site, port: number, log: Logger): Promise<ChildProcess> {
  const [command = '', ...args] = [
    ...withParentDeathSignal(),
    path.join(site.programs, 'postgres'),
    '-D',
    folderName(site),
    '-p',
    String(port),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const child = spawn(command, args, {
    ...site.account,
    cwd: site.folder,
    env: cleanEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C in a terminal signals the whole process group, but the database must outlive the requests in progress.
    detached: true,
  })
  return new Promise((resolve, reject) => {
    const output: string[] = []
    createInterface({ input: child.stderr }).on('line', (line) => {
      output.push(line)
      if (output.length > 12) output.shift()
      if (/^(FATAL|PANIC):/.test(line)) log.warn({ postgres: line }, 'database server')
      else log.debug({ postgres: line }, 'database server')
      if (line.includes('database system is ready to accept connections')) resolve(child)
    })
    child.on('error', reject)
    // 'close' instead of 'exit': by then all output has been read.
    child.once('close', (code, signal) =>
      reject(
        new Error(
          `The database server exited (${signal ?? code}) before it was ready: ${output.join(' | ')}`,
        ),
      ),
    )
  })
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/**
 * Picks a port below those that the kernel assigns to outgoing connections. While the database is down, its clients
 * keep connecting to this port, and one that was assigned the very same port would connect to itself and occupy it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    if (await isFree(port)) return port
  }
}
