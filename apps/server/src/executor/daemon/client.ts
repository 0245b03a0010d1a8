import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { firstLine, LOCK, LOG, SOCKET, type Answer, type Call } from './wire'

/** No reply: the executor is not there, or went away before it answered. */
class Unanswered extends Error {}

const TIMEOUT_MS = 20_000

/** One question over the socket. */
export function send(socketPath: string, call: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(socketPath)
    socket.once('error', (error) => reject(new Unanswered(error.message)))
    socket.once('connect', () => socket.write(`${JSON.stringify(call)}\n`))
    firstLine(socket, (line) => {
      socket.end()
      // Written by our own program.
      resolve(JSON.parse(line) as Answer)
    })
    socket.once('close', () => reject(new Unanswered('closed')))
  })
}

export interface Start {
  /** Of the built program, which also runs as the daemon. */
  program: string
  idleMs: number
}

export const versionOf = (program: string): string =>
  createHash('sha256').update(readFileSync(program)).digest('hex').slice(0, 16)

/**
 * Asks the executor of the spool that is the current folder; starts one when there is none, and a new one in place of
 * one from another version. Every command may be asked twice without harm, so one that got no reply is.
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
    // Of several started at once, the lock lets one live.
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
 * In its own session and with no parent, so that neither a signal to the server's group nor one to all that
 * descends from this command reaches it or its jobs; with nothing of the server's environment. The lock is the
 * kernel's: it is gone with the process, however that ends.
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
