import type { SocketRequests, SocketStreams } from '@flotilla/contract/events'

type Name = keyof SocketRequests
type Streams = { [Stream in keyof SocketStreams]: Set<(piece: SocketStreams[Stream]) => void> }

/** The part of a socket that is needed here. */
type Sends = {
  timeout(ms: number): { emitWithAck(name: string, ask: unknown): Promise<unknown> }
}

const ANSWER_WITHIN_MS = 20_000

let socket: Sends | null = null
const listeners: Streams = {
  output: new Set(),
  outputEnd: new Set(),
  terminalOutput: new Set(),
  terminalEnd: new Set(),
}

/** Called by live.ts with the connection of the moment, and with null when it is lost. */
export const setSocket = (now: Sends | null): void => {
  socket = now
}

/** Asks the server over the socket. Not being connected is an answer like any other refusal. */
export async function askSocket<Asked extends Name>(
  name: Asked,
  ask: SocketRequests[Asked]['ask'],
): Promise<SocketRequests[Asked]['answer']> {
  if (!socket) return refusal('There is no live connection to the server')
  try {
    // Border: the contract says what each request is answered with.
    return (await socket.timeout(ANSWER_WITHIN_MS).emitWithAck(name, ask)) as SocketRequests[Asked]['answer']
  } catch {
    return refusal('The server did not answer')
  }
}

const refusal = (message: string) => ({ ok: false as const, message })

/** Hears what comes back for a request, until the returned function is called. */
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

/** Whether an incoming message was a piece of a stream; those are not numbered. */
export function deliver(name: string, piece: unknown): boolean {
  if (!isStream(name)) return false
  // Border: as above. Each listener gets what its own name carries.
  for (const listener of listeners[name]) (listener as (piece: unknown) => void)(piece)
  return true
}
