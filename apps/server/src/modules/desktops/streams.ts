import type { Readable, Writable } from 'node:stream'
import { Failure } from '../../fail'
import type { Running } from '../../transports/running'
import type { Transport } from '../../transports/transport'
import { FOLDER, SOCKET } from './scripts'

const PIECE_BYTES = 64 * 1024
/** The relay's exit codes if there is no desktop to connect to. */
const EXIT_GONE = [3, 4]

/** The desktop has ended or never started. */
export class DesktopGone extends Error {}

/** Receives a piece that was read, and may use its buffer until it calls `done`. */
export type DeliverPiece = (piece: Buffer, done: () => void) => void

/** The bytes to and from the VNC server of a desktop. It starts paused. */
export interface DesktopStream {
  input: Writable
  /** Sets the receiver of the data that is read from now on. */
  read(take: DeliverPiece): void
  /** Used only to pause and resume reading. */
  output: Pick<Readable, 'pause' | 'resume' | 'isPaused'>
  /** Resolves with the reason when nothing more can be read. */
  ended: Promise<Error>
  /** Whether the desktop's side closed it, rather than this one. */
  isClosedByDesktop(): boolean
  /** Closes it as soon as the desktop has read everything that was written to it. */
  close(): void
  kill(): void
}

const endedError = (detail = '') =>
  new Failure('desktop_failed', { message: `The connection to the desktop ended${detail && `: ${detail}`}` })

/**
 * Connects directly to the socket, without a relay that copies every byte again. Null if that is impossible or the
 * desktop is not running. The buffer is reused: with a new one per read, garbage collection took a third of the time.
 */
export async function directStream(
  { connectToUnixSocket }: Transport,
  id: string,
  take: DeliverPiece,
): Promise<DesktopStream | null> {
  const free: Buffer[] = []
  const socket = await connectToUnixSocket?.(`${FOLDER}/${id}`, SOCKET, {
    buffer: () => free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES),
    callback(length, buffer) {
      const piece = buffer as Buffer
      take(piece.subarray(0, length), () => free.push(piece))
      return true
    },
  }).catch(() => null)
  if (!socket) return null
  // All data has been read; a desktop that no longer reads must not keep the connection open.
  socket.once('end', () => socket.destroy())
  return {
    input: socket,
    read: (next) => (take = next),
    output: socket,
    ended: new Promise((resolve) => socket.once('close', () => resolve(endedError()))),
    isClosedByDesktop: () => socket.readableEnded || socket.errored !== null,
    close() {
      socket.pause()
      socket.destroySoon()
    },
    kill: () => socket.destroy(),
  }
}

/** Uses the input and output of a process that is connected to the VNC server. */
export function relayedStream(running: Running, take: DeliverPiece): DesktopStream {
  const { stdin, stdout, stderr } = running
  let stderrTail = ''
  stderr.on('data', (piece: Buffer) => (stderrTail = (stderrTail + piece.toString()).slice(-500)))
  stdin.on('error', () => undefined)
  stdout.on('data', (piece: Buffer) => take(piece, () => undefined))
  stdout.pause()
  // The process ends when its input ends, provided that its output is read.
  const close = () => {
    take = () => undefined
    stdout.resume()
    stdin.end()
  }
  return {
    input: stdin,
    read: (next) => (take = next),
    output: stdout,
    ended: running.done.then(
      ({ code }) =>
        EXIT_GONE.includes(code ?? 0)
          ? new DesktopGone('The desktop has ended')
          : endedError(stderrTail.trim() || `exit code ${code}`),
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    ),
    isClosedByDesktop: () => stdout.readableEnded,
    close,
    kill() {
      close()
      running.kill().catch(() => undefined)
    },
  }
}
