import type { WebSocket } from 'ws'
import type { DesktopMode } from '@flotilla/contract/desktops/desktops'
import { ByteReader } from './byte-reader'
import { makeClientFilter } from './client-messages'
import { letIn } from './handshake'
import type { DesktopLink } from './host'

/** So much may wait for a slow browser before the desktop has to wait, and so little before it goes on. */
const BEHIND_BYTES = 512 * 1024
const CAUGHT_UP_BYTES = 128 * 1024
/** Someone may have to look up the password. */
const HANDSHAKE_MS = 5 * 60_000
/** A browser that answers neither of two is gone. */
const PING_MS = 30_000

type Options = {
  mode: DesktopMode
  /** Asked for by the viewer, if at all. */
  password: string | null
  onActivity(): void
}

/** Connects a browser with a desktop until either side ends; answers why. */
export async function bridge(socket: WebSocket, link: DesktopLink, options: Options): Promise<string> {
  const ended = endOf(socket, link)
  const reader = new ByteReader(() => socket.terminate())
  let receive = (piece: Buffer): void => reader.push(piece)
  socket.on('message', (data, isBinary) => {
    // With the default binary type a message is one buffer.
    if (isBinary) receive(data as Buffer)
    else socket.terminate()
  })
  const late = setTimeout(() => socket.terminate(), HANDSHAKE_MS)
  void ended.then((why) => reader.end(new Error(why)))
  try {
    await letIn({ reader, write: (bytes) => socket.send(bytes) }, options.password)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    clearTimeout(late)
  }
  // Shared: another viewer is never thrown out.
  link.write(Buffer.from([1]))
  receive = toDesktop(socket, link, options)
  const rest = reader.rest()
  if (rest.length > 0) receive(rest)
  toBrowser(socket, link)
  return ended
}

function toDesktop(socket: WebSocket, { running: { stdin } }: DesktopLink, { mode, onActivity }: Options) {
  const filter = makeClientFilter(mode, {
    activity: onActivity,
    forward(bytes) {
      if (!stdin.writable || stdin.write(bytes)) return
      socket.pause()
      stdin.once('drain', () => socket.resume())
    },
  })
  return (piece: Buffer): void => {
    try {
      filter(piece)
    } catch {
      socket.terminate()
    }
  }
}

function toBrowser(socket: WebSocket, link: DesktopLink): void {
  const { stdout } = link.running
  let waits = false
  const sent = (): void => {
    if (!waits || socket.bufferedAmount > CAUGHT_UP_BYTES) return
    waits = false
    stdout.resume()
  }
  const send = (piece: Buffer): void => {
    if (socket.readyState !== socket.OPEN) return
    socket.send(piece, sent)
    if (waits || socket.bufferedAmount <= BEHIND_BYTES) return
    waits = true
    stdout.pause()
  }
  const rest = link.release()
  if (rest.length > 0) send(rest)
  stdout.on('data', send)
}

/** Resolves when the browser is gone or the desktop's side has ended. */
function endOf(socket: WebSocket, { running }: DesktopLink): Promise<string> {
  let answered = true
  const ping = setInterval(() => {
    if (!answered) return socket.terminate()
    answered = false
    socket.ping()
  }, PING_MS).unref()
  socket.on('pong', () => (answered = true))
  return new Promise<string>((resolve) => {
    const left = () => resolve('The browser disconnected')
    // It may have left while the desktop was connected to.
    if (socket.readyState === socket.OPEN) socket.once('close', left)
    else left()
    const over = () => resolve('The connection to the desktop ended')
    running.done.then(over, over)
  }).finally(() => clearInterval(ping))
}
