import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { freePort } from '../../../src/db/embedded/postmaster'

/** The path is absolute, as sshd executes itself again for each connection. */
const program = '/usr/sbin/sshd'

export interface TestSshd {
  port: number
  /** $HOME of a session. It is not the account's home, whose shell profile may be slow or print text. */
  home: string
  /** The account that the tests run as; `privateKey` is authorized for it. */
  username: string
  privateKey: string
  /** A key that is not authorized. */
  strangerKey: string
  /** The host key as in known_hosts: 'ssh-ed25519 AAAA...'. */
  hostKey(): Promise<string>
  /** Restarts sshd with a new host key, as if the machine was reinstalled. */
  changeHostKey(): Promise<void>
  /** Kills every open session, as a network failure does, and returns the number of processes; sshd keeps listening. */
  dropConnections(): number
  /** Suspends sshd and its sessions, as on a hung machine: connections stay open but get no replies. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** A private sshd on a free port of this machine, with its own keys. `lines` are added to its configuration. */
export async function startSshd({ lines = [] as string[] } = {}): Promise<TestSshd> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-sshd-'))
  const at = (name: string) => path.join(folder, name)
  const port = await freePort()
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  mkdirSync(at('home'))
  makeKey(at('host'))
  makeKey(at('person'))
  makeKey(at('stranger'))
  await writeFile(at('authorized_keys'), await readFile(at('person.pub')), { mode: 0o600 })
  await writeFile(
    at('config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host')}`,
      `AuthorizedKeysFile ${at('authorized_keys')}`,
      `PidFile ${at('pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin yes',
      'PasswordAuthentication no',
      'MaxStartups 100',
      'PrintMotd no',
      'Subsystem sftp internal-sftp',
      `SetEnv HOME=${at('home')}`,
      ...lines,
      '',
    ].join('\n'),
  )

  let child: ChildProcess | undefined
  const start = () =>
    new Promise<void>((resolve, reject) => {
      const started = spawn(program, ['-D', '-e', '-f', at('config')], {
        cwd: '/',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      child = started
      let output = ''
      started.stderr.on('data', (data: Buffer) => {
        output += data.toString()
        void appendFile(at('log'), data).catch(() => undefined)
        if (output.includes('Server listening')) resolve()
      })
      started.once('error', reject)
      started.once('close', (code) => reject(new Error(`sshd ended (${code}): ${output}`)))
    })
  const sessions = () => (child?.pid ? childrenOf(child.pid) : [])
  const send = (signal: NodeJS.Signals) => {
    const all = sessions().flatMap((pid) => [pid, ...childrenOf(pid).filter(isSshd)])
    for (const pid of all) signalTo(pid, signal)
    return all.length
  }
  const stop = async () => {
    send('SIGKILL')
    const running = child
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    await new Promise<void>((resolve) => {
      running.once('close', () => resolve())
      running.kill('SIGKILL')
    })
  }

  await start()
  return {
    port,
    home: at('home'),
    username: os.userInfo().username,
    privateKey: await readFile(at('person'), 'utf8'),
    strangerKey: await readFile(at('stranger'), 'utf8'),
    hostKey: async () => (await readFile(at('host.pub'), 'utf8')).split(' ').slice(0, 2).join(' ').trim(),
    changeHostKey: async () => {
      await stop()
      await rm(at('host'))
      makeKey(at('host'))
      await chmod(at('host'), 0o600)
      await start()
    },
    dropConnections: () => send('SIGKILL'),
    freeze: () => {
      if (child?.pid) process.kill(child.pid, 'SIGSTOP')
      send('SIGSTOP')
    },
    thaw: () => {
      if (child?.pid) process.kill(child.pid, 'SIGCONT')
      send('SIGCONT')
    },
    stop,
    start,
    remove: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function makeKey(file: string): void {
  const made = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file], {
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`ssh-keygen failed: ${made.error?.message ?? made.stderr}`)
}

/** Ignores that the process may have ended meanwhile. */
const signalTo = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

const statusOf = (pid: number | string): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && new RegExp(`^PPid:\\s+${parent}$`, 'm').test(statusOf(name)))
    .map(Number)
const isSshd = (pid: number) => /^Name:\s+sshd/.test(statusOf(pid))
