import type { Server } from 'node:http'
import { WebSocketServer, type WebSocket } from 'ws'
import { DESKTOP_SOCKET } from '@flotilla/contract/desktops/desktops'
import { SOCKETS_UNIDENTIFIED_MAX, SOCKET_IDENTIFY_MS } from '@flotilla/contract/limits'

/** Larger than any message of a viewer except a clipboard, which is sent in one message. */
const MESSAGE_MAX_BYTES = 2 * 1024 * 1024
const TICKET_MAX = 200

export type Accept = (ticket: string, socket: WebSocket) => Promise<void>

/**
 * The WebSocket of desktops. The ticket is its first message and not part of the URL, which proxies write to logs.
 */
export function makeDesktopSocket(accept: Accept) {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MESSAGE_MAX_BYTES,
  })
  const unidentified = new Set<WebSocket>()

  const identify = (socket: WebSocket): void => {
    unidentified.add(socket)
    const [oldest] = unidentified
    if (unidentified.size > SOCKETS_UNIDENTIFIED_MAX) oldest?.terminate()
    const late = setTimeout(() => socket.terminate(), SOCKET_IDENTIFY_MS)
    const done = (): void => {
      clearTimeout(late)
      unidentified.delete(socket)
    }
    socket.on('error', () => undefined)
    socket.once('close', done)
    socket.once('message', (data, isBinary) => {
      done()
      const ticket = Buffer.isBuffer(data) && !isBinary && data.length <= TICKET_MAX ? data.toString() : ''
      void accept(ticket, socket)
    })
  }

  return {
    attach(server: Server): void {
      server.on('upgrade', (request, socket, head) => {
        if (request.url?.split('?')[0] === DESKTOP_SOCKET)
          sockets.handleUpgrade(request, socket, head, identify)
      })
    },
    close(): void {
      for (const socket of sockets.clients) socket.terminate()
    },
  }
}
