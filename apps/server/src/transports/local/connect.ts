import { connect, type Socket } from 'node:net'
import { TransportError } from '../error'

const CONNECT_MS = 10_000

/** Opens a connection, or fails with the reason. */
export const connectTo = (host: string, port: number, signal?: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...(signal && { signal }) })
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('timed out')))
    socket.once('error', (cause) =>
      reject(
        new TransportError('connect', 'failed', `Nothing is listening there: ${cause.message}.`, { cause }),
      ),
    )
    socket.once('connect', () => {
      socket.setTimeout(0)
      socket.setNoDelay(true)
      resolve(socket)
    })
  })
