import type { Readable } from 'node:stream'

/** How a command reaches the executor: one line each way over a socket in the spool. */

export const COMMANDS = [
  'submit',
  'find',
  'cancel',
  'cancel-all',
  'hold',
  'release',
  'extend',
  'process',
  'drain',
  'resume',
  'configure',
  'job',
  'history',
  'ended',
  'hello',
  'stop',
] as const

export interface Call {
  command: string
  args: string[]
  /** What came in by stdin, as JSON. */
  input?: unknown
}

export type Answer = { ok: unknown } | { error: { code: string; message: string } }

/** In the spool, which is the current folder of its users, because a socket's path must be short. */
export const SOCKET = 'daemon.sock'
export const LOCK = 'daemon.lock'
export const LOG = 'daemon.log'

/** Written by the executor for those who look often; read without asking it. */
export const FILES = {
  pid: 'daemon.pid',
  alive: 'alive.json',
  queue: 'queue.json',
  nodes: 'nodes.json',
} as const

/** Calls back with the first line. Node's own reader of lines would throw the stream's errors at no one. */
export function firstLine(stream: Readable, use: (line: string) => void): void {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    if (!chunk.includes(10)) return
    const text = Buffer.concat(chunks).toString()
    stream.removeAllListeners('data').resume()
    use(text.slice(0, text.indexOf('\n')))
  })
}
