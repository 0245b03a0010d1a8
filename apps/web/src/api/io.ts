import { io, type Socket } from 'socket.io-client'
import { currentToken } from '../session/store'

/** Makes one connection attempt. A separate file, because the library is loaded after the page is drawn. */
export const openSocket = (address: string | undefined): Socket =>
  io(address, {
    // Every attempt is a new connection, so that each uses the current token.
    forceNew: true,
    reconnection: false,
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    query: { token: currentToken() ?? '' },
  })
