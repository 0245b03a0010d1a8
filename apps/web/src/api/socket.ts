import { callOver } from '@flotilla/client/socket'
import type { RequestSocket } from '@flotilla/client/socket'
import type { SocketStreams } from '@flotilla/contract/events'
import type { SocketAnswer, SocketSent, SocketRequest } from '@flotilla/contract/socket-request'

type Streams = { [Stream in keyof SocketStreams]: Set<(piece: SocketStreams[Stream]) => void> }

let socket: RequestSocket | null = null
const listeners: Streams = {
  output: new Set(),
  outputEnd: new Set(),
  terminalOutput: new Set(),
  terminalEnd: new Set(),
}

/** Called by live.ts with the current connection, or with null when it is lost. */
export const setSocket = (now: RequestSocket | null): void => {
  socket = now
}

/** Makes a request over the current connection. */
export const callSocket = <R extends SocketRequest>(
  request: R,
  input: SocketSent<R>,
): Promise<SocketAnswer<R>> => callOver(socket, request, input)

/** Receives the stream of a request until the returned function is called. */
export function onStream<Stream extends keyof SocketStreams>(
  name: Stream,
  listener: (piece: SocketStreams[Stream]) => void,
): () => void {
  listeners[name].add(listener)
  return () => {
    listeners[name].delete(listener)
  }
}

const isStream = (name: string): name is keyof SocketStreams => Object.hasOwn(listeners, name)

/** Whether an incoming message belonged to a stream; those are not numbered. */
export function deliver(name: string, piece: unknown): boolean {
  if (!isStream(name)) return false
  // Border: as above. Each listener gets what its own event carries.
  for (const listener of listeners[name]) (listener as (piece: unknown) => void)(piece)
  return true
}
