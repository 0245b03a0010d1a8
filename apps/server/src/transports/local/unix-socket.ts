import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { connect, type ConnectOpts, type IpcSocketConnectOpts, type OnReadOpts, type Socket } from 'node:net'
import type { Root } from '../disk'
import { byDescriptor, throughOnly, walk } from './walk'

/**
 * Connects to a Unix socket of an account from this process, which may have more rights than the account. No link is
 * followed and the socket must belong to the account, so it cannot be used to reach other accounts' sockets. The
 * connection starts paused.
 */
export async function connectToUnixSocket(
  root: Root,
  name: string,
  uid: number | undefined,
  onread?: OnReadOpts,
): Promise<Socket> {
  if (!byDescriptor) throw new Error('a socket cannot be held open before it is connected to')
  return walk(root, [name], { follow: false }, async ({ folder }) => {
    const held = await open(folder.entry(name), throughOnly | constants.O_NOFOLLOW)
    try {
      if ((await held.stat()).uid !== uid) throw new Error('the socket belongs to another account')
      return await connected({ path: `/proc/self/fd/${held.fd}`, ...(onread && { onread }) })
    } finally {
      await held.close()
    }
  })
}

const connected = (to: IpcSocketConnectOpts & ConnectOpts): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(to, () => resolve(socket))
    // The handler stays after connecting, although rejecting has no effect then: an unhandled error ends the server.
    socket.on('error', reject)
    // Nothing is read until the caller attaches its listeners.
    socket.pause()
  })
