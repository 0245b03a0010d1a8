import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { firstLine, LOCK, LOG, SOCKET, type Answer, type Call } from './wire'

/** No reply: the executor is not running, or exited before it answered. */
class Unanswered extends Error {}

const TIMEOUT_MS = 20_000

/** Sends one call over the socket. */
export function send(socketPath: string, call: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(socketPath)
    socket.once('error', (error) => reject(new Unanswered(error.message)))
    socket.once('connect', () => socket.write(`${JSON.stringify(call)}\n`))
    firstLine(socket, (line) => {
      socket.end()
      // The reply comes from our own program, so it needs no validation.
      resolve(JSON.parse(line) as Answer)
    })
    socket.once('close', () => reject(new Unanswered('closed')))
  })
}

export interface Start {
  /** Path of the built program, which also runs as the daemon. */
  program: string
  idleMs: number
}

export const versionOf = (program: string): string =>
  createHash('sha256').update(readFileSync(program)).digest('hex').slice(0, 16)

/**
 * Sends a call to the executor whose spool is the current directory. Starts an executor if none is running, and
 * replaces one of another version. All commands are idempotent, so a call without a reply is repeated.
 */
export async function command(call: Call, start: Start): Promise<Answer> {
  const until = Date.now() + TIMEOUT_MS
  let startedAt = 0
  for (;;) {
    try {
      await upToDate(start)
      return await send(SOCKET, call)
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      if (Date.now() > until)
        throw new Error(`The executor could not be started. See ${path.join(process.cwd(), LOG)}.`, {
          cause: error,
        })
    }
    // If several are started at once, the lock lets only one of them run.
    if (Date.now() - startedAt > 2_000) {
      startDaemon(start)
      startedAt = Date.now()
    }
    await sleep(20)
  }
}

async function upToDate({ program }: Start): Promise<void> {
  const answer = await send(SOCKET, { command: 'hello', args: [] })
  const version =
    'ok' in answer && answer.ok && typeof answer.ok === 'object' && 'version' in answer.ok
      ? answer.ok.version
      : ''
  if (version === versionOf(program)) return
  await send(SOCKET, { command: 'stop', args: [] })
  throw new Unanswered('was of another version')
}

/**
 * Starts the daemon orphaned in its own session, so that no signal to the server's process group or to the descendants
 * of this command reaches it or its jobs, and with a clean environment. The kernel releases the lock when the process
 * ends, however it ends.
 */
function startDaemon({ program, idleMs }: Start): void {
  const log = openSync(LOG, 'a', 0o600)
  const daemon = [process.execPath, program, 'daemon', '--spool', '.', '--idle', String(idleMs / 1000)]
  const child = spawn('setsid', ['--fork', 'flock', '--no-fork', '--nonblock', LOCK, ...daemon], {
    stdio: ['ignore', log, log],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LANG: 'C.UTF-8' },
  })
  child.once('error', (error) => {
    process.stderr.write(
      `The executor needs the programs setsid and flock from the package util-linux: ${error.message}\n`,
    )
    process.exit(1)
  })
  child.unref()
  closeSync(log)
}

export function enterSpool(spool: string): void {
  mkdirSync(spool, { recursive: true, mode: 0o700 })
  process.chdir(spool)
}
