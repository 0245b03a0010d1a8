import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readlink, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { addressOf, isForbidden } from '../../../outgoing'
import { processOf } from '../../../schedulers/builtin'
import { TransportError } from '../../../transports/error'
import { connectTo, openSocket } from '../../../transports/local/connect'
import type { ClusterConnection } from '../commands/connection'
import { query } from '../commands/query'

/** Where a running job listens, as it says itself. */
export type JobPort = { nativeId: string; host: string; port: number }
/** The way to a port of a running job, for as long as it is needed. */
export type OpenPort = { connect(signal?: AbortSignal): Promise<Duplex>; close(): void }

const LOOPBACK = '127.0.0.1'

/**
 * Opens the way to a port of a job. Jobs of the built-in executor have a network of their own, which a relay enters;
 * those of other resource managers are reached from the head node.
 */
export async function openJobPort(
  connection: ClusterConnection,
  { nativeId, host, port }: JobPort,
): Promise<OpenPort> {
  const inside = processOf(connection.scheduler, nativeId)
  if (inside) return openInside(await query(connection, inside), port)
  // The job wrote it down, so it may be anything; what only the head node itself may ask is not for its users.
  if (addressOf(host) !== host || isForbidden(host))
    throw new TransportError(
      'connect',
      'bad name',
      `The job says that it listens on "${host}", which is not allowed.`,
    )
  return { connect: (signal) => connection.transport.connect(host, port, signal), close: () => {} }
}

async function openInside(pid: number, port: number): Promise<OpenPort> {
  const [own, its] = await Promise.all(['self', pid].map((one) => readlink(`/proc/${one}/ns/net`)))
  return own === its
    ? { connect: (signal) => connectTo(LOOPBACK, port, signal), close: () => {} }
    : startRelay(pid, port)
}

/** In the network of the job: passes on what arrives at a socket that only we can open. Ends with its standard input. */
const relay = `
const net = require('node:net')
const [socket, port] = process.argv.slice(1)
net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ host: '${LOOPBACK}', port: Number(port), allowHalfOpen: true, noDelay: true })
  for (const [one, other] of [[near, far], [far, near]])
    one.on('error', () => other.destroy()).on('close', () => other.destroy()).pipe(other)
}).listen(socket, () => process.stdout.write('ready'))
process.stdin.resume().on('end', () => process.exit())
`

async function startRelay(pid: number, port: number): Promise<OpenPort> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-port-'))
  const socket = path.join(folder, 'socket')
  const enter =
    process.getuid?.() === 0
      ? ['--target', String(pid), '--net']
      : ['--target', String(pid), '--user', '--preserve-credentials', '--net']
  const child = spawn('nsenter', [...enter, '--', process.execPath, '-e', relay, socket, String(port)], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
  })
  child.stdin.on('error', () => {})
  const close = () => {
    child.stdin.end()
    void rm(folder, { recursive: true, force: true }).catch(() => {})
  }
  const failed = once(child, 'exit').then(() => {
    throw new TransportError('connect', 'failed', 'The network of the job could not be entered.')
  })
  failed.catch(() => {})
  try {
    await Promise.race([once(child.stdout, 'data'), failed])
  } catch (error) {
    close()
    throw error
  }
  return { connect: (signal) => openSocket({ path: socket }, signal), close }
}
