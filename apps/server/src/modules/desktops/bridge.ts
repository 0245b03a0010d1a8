import type { WebSocket } from 'ws'
import type { DesktopMode } from '@flotilla/contract/desktops/desktops'
import { messageOf } from '../../explain'
import { ByteReader } from './vnc/byte-reader'
import { makeClientFilter } from './vnc/client-messages'
import { authenticateViewer } from './vnc/handshake'
import type { DesktopLink } from './host'
import type { DeliverPiece } from './streams'

/** How many pieces may wait for a slow browser before reading from the desktop pauses, and how few before it resumes. */
const BEHIND_PIECES = 8
const CAUGHT_UP_PIECES = 2
/** Long, because the user may have to look up the password. */
const HANDSHAKE_MS = 5 * 60_000
/** The interval of pings; a browser that does not answer one before the next is disconnected. */
const PING_MS = 30_000

type Options = {
  mode: DesktopMode
  /** The password that the viewer must enter, or null. */
  password: string | null
  onActivity(): void
}

/** Connects a browser to a desktop until either side ends; returns the reason. */
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
    await authenticateViewer({ reader, write: (bytes) => socket.send(bytes) }, options.password)
  } catch (error) {
    return messageOf(error)
  } finally {
    clearTimeout(late)
  }
  // 1 requests shared access, so that other viewers are not disconnected.
  link.write(Buffer.from([1]))
  receive = toDesktop(socket, link, options)
  const rest = reader.rest()
  if (rest.length > 0) receive(rest)
  toBrowser(socket, link)
  return ended
}

function toDesktop(socket: WebSocket, { stream }: DesktopLink, { mode, onActivity }: Options) {
  const { input } = stream
  let waits = false
  const goOn = (): void => {
    waits = false
    socket.resume()
  }
  input.on('drain', goOn)
  // A paused WebSocket would not receive the browser's close frame.
  void stream.ended.then(goOn)
  const filter = makeClientFilter(mode, {
    activity: onActivity,
    forward(bytes) {
      if (!input.writable || input.write(bytes) || waits) return
      waits = true
      socket.pause()
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

function toBrowser(socket: WebSocket, { stream, reader }: DesktopLink): void {
  let behind = 0
  const send: DeliverPiece = (piece, done) => {
    if (socket.readyState !== socket.OPEN) return done()
    socket.send(piece, () => {
      done()
      behind--
      if (behind <= CAUGHT_UP_PIECES && stream.output.isPaused()) stream.output.resume()
    })
    behind++
    if (behind >= BEHIND_PIECES) stream.output.pause()
  }
  const rest = reader.rest()
  if (rest.length > 0) send(rest, () => undefined)
  stream.read(send)
  stream.output.resume()
}

/** Resolves when the browser has disconnected or the connection to the desktop has ended. */
function endOf(socket: WebSocket, { stream }: DesktopLink): Promise<string> {
  let answered = true
  const ping = setInterval(() => {
    if (!answered) return socket.terminate()
    answered = false
    socket.ping()
  }, PING_MS).unref()
  socket.on('pong', () => (answered = true))
  return new Promise<string>((resolve) => {
    const left = () => resolve('The browser disconnected')
    // The browser may have disconnected while the connection to the desktop was opened.
    if (socket.readyState === socket.OPEN) socket.once('close', left)
    else left()
    void stream.ended.then(() => resolve('The connection to the desktop ended'))
  }).finally(() => clearInterval(ping))
}
