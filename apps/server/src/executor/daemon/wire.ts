import type { Readable } from 'node:stream'

/** The protocol of the executor: one line in each direction over a socket in the spool. */

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
  /** The JSON read from stdin. */
  input?: unknown
}

export type Answer = { ok: unknown } | { error: { code: string; message: string } }

/** A relative path, since the path of a socket must be short: the spool is the current directory of its users. */
export const SOCKET = 'daemon.sock'
export const LOCK = 'daemon.lock'
export const LOG = 'daemon.log'

/** Files that the executor writes for frequent readers, who need not query it. */
export const FILES = {
  pid: 'daemon.pid',
  alive: 'alive.json',
  queue: 'queue.json',
  nodes: 'nodes.json',
} as const

/** Calls back with the first line. The errors of the stream would be unhandled with Node's `readline`. */
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
