import { io, type Socket } from 'socket.io-client'
import { currentToken } from '../session/store'

/** One attempt to connect. In a file of its own, because the library is fetched after the page is drawn. */
export const openSocket = (address: string | undefined): Socket =>
  io(address, {
    // Every attempt is a new one of ours, so that each takes the token of that moment.
    forceNew: true,
    reconnection: false,
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    query: { token: currentToken() ?? '' },
  })
