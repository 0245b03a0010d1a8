import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlink } from 'node:fs/promises'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressOf, isForbidden } from '../../../network/outgoing'
import { processOf } from '../../../schedulers/builtin'
import { TransportError } from '../../../transports/error'
import { connectTo } from '../../../transports/local/connect'
import type { ClusterConnection } from '../commands/connection'
import { query } from '../commands/query'

/** Where a running job listens, as the job itself reports it. */
export type JobPort = { nativeId: string; host: string; port: number }
/** Connects to a port of a running job until it is closed. */
type OpenPort = { connect(signal?: AbortSignal): Promise<Duplex>; close(): void }

const LOOPBACK = '127.0.0.1'

/**
 * Opens a port of a job. Jobs of the built-in executor have a network of their own, which a helper process enters;
 * those of other resource managers are reached from the head node.
 */
export async function openJobPort(
  connection: ClusterConnection,
  { nativeId, host, port }: JobPort,
): Promise<OpenPort> {
  const inside = processOf(connection.scheduler, nativeId)
  if (inside) return openInside(await query(connection, inside), port)
  // The job wrote the host itself: it may be an address that only the head node, and no user, may connect to.
  if (addressOf(host) !== host || isForbidden(host))
    throw new TransportError(
      'connect',
      'bad name',
      `The job says that it listens on “${host}”, which is not allowed.`,
    )
  return { connect: (signal) => connection.transport.connect(host, port, signal), close: () => {} }
}

async function openInside(pid: number, port: number): Promise<OpenPort> {
  const [own, its] = await Promise.all(['self', pid].map((one) => readlink(`/proc/${one}/ns/net`)))
  return own === its
    ? { connect: (signal) => connectTo(LOOPBACK, port, signal), close: () => {} }
    : startOpener(pid, port)
}

/**
 * Runs in the network of the job. For each message, it connects to the job's port and hands the connection over, so
 * that no data passes through this process. It ends with the channel.
 */
const opener = `
const port = Number(process.argv[1])
process.on('message', (id) => {
  const socket = require('node:net').connect({ host: '${LOOPBACK}', port, allowHalfOpen: true, noDelay: true }).pause()
  socket.once('connect', () => process.send({ id }, socket))
  socket.once('error', ({ message }) => process.send({ id, error: message }))
})
process.send('ready')
`

type Answer = { id: number; error?: string }

async function startOpener(pid: number, port: number): Promise<OpenPort> {
  const enter =
    process.getuid?.() === 0
      ? ['--target', String(pid), '--net']
      : ['--target', String(pid), '--user', '--preserve-credentials', '--net']
  const child = spawn('nsenter', [...enter, '--', process.execPath, '-e', opener, String(port)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  })
  const ended = new AbortController()
  child.once('exit', () => ended.abort()).on('error', () => ended.abort())
  try {
    await once(child, 'message', { signal: ended.signal })
  } catch {
    throw new TransportError('connect', 'failed', 'The network of the job could not be entered.')
  }
  /** Pending connections by number. */
  const waiting = new Map<number, (answer: Answer, socket: unknown) => void>()
  child.on('message', (answer: Answer, socket: unknown) => waiting.get(answer.id)?.(answer, socket))
  let last = 0
  const connect = (given?: AbortSignal): Promise<Duplex> =>
    new Promise((resolve, reject) => {
      const id = ++last
      const signal = given ? AbortSignal.any([given, ended.signal]) : ended.signal
      const fail = (why: string) =>
        reject(new TransportError('connect', 'failed', `Nothing is listening there: ${why}.`))
      const stop = () => fail('the job has ended')
      waiting.set(id, ({ error }, socket) => {
        waiting.delete(id)
        signal.removeEventListener('abort', stop)
        if (!(socket instanceof Socket)) return fail(error ?? 'no connection')
        if (signal.aborted) socket.destroy()
        else resolve(socket)
      })
      if (signal.aborted || !child.connected) return stop()
      signal.addEventListener('abort', stop, { once: true })
      child.send(id)
    })
  return { connect, close: () => child.connected && child.disconnect() }
}
