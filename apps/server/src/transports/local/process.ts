import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import os from 'node:os'
import { Duplex, PassThrough, Readable, Writable } from 'node:stream'
import { errorCode, TransportError } from '../error'
import { killTree } from './process-tree'
import type { Exit, Running } from '../running'
import type { CommandOptions } from '../transport'

/** Another account to act as, which requires root. */
export interface LocalAccount {
  uid: number
  gid: number
  username: string
  home: string
  /** The login shell; by default bash or, if there is none, sh. */
  shell?: string
}

export interface LocalOptions {
  as?: LocalAccount
  /** The PATH, instead of the usual folders. */
  path?: string
  /** Variables that are added to the clean environment of every command. */
  env?: Readonly<Record<string, string>>
  /** The names of account and machine in a terminal's prompt, if the system has no name for the account. */
  prompt?: { user: string; host: string }
  /** Watches the resource usage of terminals, and ends them with a reason; returns a function that stops watching. */
  watch?: (pid: number, end: (reason: string) => void) => () => void
  /** The prefix of every command: a program that enters a namespace and runs its arguments there as the account. */
  enter?: readonly string[]
}

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Rejects accounts that the server cannot act as; their commands would otherwise run under the server's account. */
export function checkAccount(as: LocalAccount | undefined): void {
  const me = process.getuid?.()
  if (!as || as.uid === me) return
  if (me !== 0)
    throw new TransportError(
      'switch account',
      'denied',
      `The server cannot act as ${as.username} because it does not run as root. Start it as root, or use its own account.`,
    )
}

export function shellOf(options: LocalOptions): string {
  return options.as?.shell ?? (existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh')
}

export const homeOf = ({ as }: LocalOptions): string => as?.home ?? os.homedir()

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** A clean environment: the server's own has secrets and settings that would affect programs. */
function freshEnvironment(options: LocalOptions, more: CommandOptions['env'] = {}): Record<string, string> {
  const username = options.as?.username ?? os.userInfo().username
  return {
    PATH: options.path ?? defaultPath,
    HOME: homeOf(options),
    USER: username,
    LOGNAME: username,
    SHELL: shellOf(options),
    LANG: 'C.UTF-8',
    ...options.env,
    ...more,
  }
}

/** Whether the system itself knows the account and therefore its supplementary groups. */
export const isKnown = (as: LocalAccount) =>
  spawnSync('id', ['-u', as.username], { encoding: 'utf8' }).stdout?.trim() === String(as.uid) &&
  spawnSync('setpriv', ['--version']).status === 0

/** How to change to the account: by setpriv with its supplementary groups, or else by spawn, which drops all groups. */
function becoming(as: LocalAccount | undefined): { argv: string[]; ids: { uid?: number; gid?: number } } {
  checkAccount(as)
  if (!as || as.uid === process.getuid?.()) return { argv: [], ids: {} }
  if (!isKnown(as)) return { argv: [], ids: { uid: as.uid, gid: as.gid } }
  const ids = [`--reuid=${as.uid}`, `--regid=${as.gid}`, '--init-groups', '--inh-caps=-all']
  return { argv: ['setpriv', ...ids, '--'], ids: {} }
}

export interface LocalRunning extends Running {
  /** Undefined if it could not be started. */
  pid?: number
  /** One of the additional pipes. */
  pipe(index: number): Duplex
  /** Like `kill`, but with SIGHUP first, as when a terminal is closed. */
  hangUp(): Promise<void>
}

export type Start = (
  argv: readonly string[],
  options: CommandOptions,
  extraPipes?: number,
) => Promise<LocalRunning>

/** Starts commands as one account, each as the leader of its own session. */
export function starter(options: LocalOptions): Start {
  const enter = options.enter ?? []
  const { argv: become, ids } = enter.length > 0 ? { argv: [], ids: {} } : becoming(options.as)
  return async (argv, { cwd, env, signal }, extraPipes = 0) => {
    signal?.throwIfAborted()
    const folder = cwd ?? ((await isFolder(homeOf(options))) ? homeOf(options) : '/')
    const [program = '', ...args] = [...become, ...enter, ...argv]
    let child: ChildProcess
    try {
      child = spawn(program, args, {
        ...ids,
        cwd: folder,
        env: freshEnvironment(options, env),
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe', ...Array.from({ length: extraPipes }, () => 'pipe' as const)],
      })
    } catch (error) {
      throw await startError(argv, folder, error)
    }
    const failed = await new Promise<unknown>((resolve) => {
      child.once('spawn', () => resolve(undefined))
      child.once('error', resolve)
    })
    if (failed) {
      const code = missing[errorCode(failed) ?? '']
      // The same result as from a shell and from the SSH transport.
      if (code !== undefined && (await isFolder(folder)))
        return ended(code, `${argv[0]}: ${code === 127 ? 'not found' : 'not executable'}\n`)
      throw await startError(argv, folder, failed)
    }
    return runningChild(child)
  }
}

const missing: Record<string, number> = { ENOENT: 127, EACCES: 126 }

async function startError(argv: readonly string[], folder: string, error: unknown): Promise<TransportError> {
  if (!(await isFolder(folder)))
    return new TransportError(
      'open folder',
      'not found',
      `The folder ${folder} does not exist or is not a folder.`,
    )
  const why = errorCode(error) === 'E2BIG' ? 'its arguments are too long' : String(error)
  return new TransportError('run command', 'failed', `"${argv[0]}" could not be started: ${why}.`, {
    cause: error,
  })
}

function runningChild(child: ChildProcess): LocalRunning {
  const { pid, stdin, stdout, stderr } = child
  // Always set for a child that was spawned with pipes.
  if (!pid || !stdin || !stdout || !stderr)
    throw new TransportError('run command', 'failed', 'The process has no pipes.')
  const done = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  return {
    pid,
    stdin,
    stdout,
    stderr,
    done,
    kill: () => killTree(pid),
    hangUp: () => killTree(pid, { firstSignal: 'SIGHUP', graceMs: 500 }),
    pipe: (index: number) => {
      const stream = child.stdio[index]
      return stream instanceof Duplex ? stream : nothing()
    },
  }
}

const nothing = (): Duplex => Duplex.from([])

function ended(code: number, output: string): LocalRunning {
  const stderr = new PassThrough()
  stderr.end(output)
  return {
    stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stdout: Readable.from([]),
    stderr,
    done: new Promise<Exit>((resolve) => void stderr.once('end', () => resolve({ code, signal: null }))),
    kill: () => Promise.resolve(),
    hangUp: () => Promise.resolve(),
    pipe: nothing,
  }
}
