import type { SocketAnswer, SocketSent, SocketRequest } from '@flotilla/contract/socket-request'

/** The part of a socket.io client that is needed here. */
export type RequestSocket = {
  timeout(ms: number): { emitWithAck(name: string, input: unknown): Promise<unknown> }
}

const TIMEOUT_MS = 20_000

/** Makes a request over the socket. A missing connection or response is a failure like any other. */
export async function callOver<R extends SocketRequest>(
  socket: RequestSocket | null,
  request: R,
  input: SocketSent<R>,
): Promise<SocketAnswer<R>> {
  if (!socket) return { ok: false, message: 'Not connected to the server' }
  try {
    // Border: the contract defines the reply of each request.
    return (await socket.timeout(TIMEOUT_MS).emitWithAck(request.name, input)) as SocketAnswer<R>
  } catch {
    return { ok: false, message: 'The server did not respond' }
  }
}
