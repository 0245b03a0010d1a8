import type { Server as HttpServer } from 'node:http'
import type { Logger } from 'pino'
import { Server, type Socket } from 'socket.io'
import type { SocketEvents } from '@flotilla/contract/events'
import { type LiveMessage, roleRoom, userRoom } from '../live/live'
import type { Caller } from './caller'

type Events = { [E in keyof SocketEvents]: (data: SocketEvents[E]) => void }
type Data = { caller: Caller; seq: number }
type LiveSocket = Socket<Record<string, never>, Events, Record<string, never>, Data>

type Options = {
  log: Logger
  /** The person behind a token, or a failure. A socket opens by itself, so it is no activity. */
  authenticate: (token: string) => Promise<Caller>
  /** Whether a session still lives, and with which roles. */
  caller: (sessionId: string) => Promise<Caller | null>
}

export type Live = ReturnType<typeof openSocketServer>
/** Browsers connected to this server, and what reaches them from any server. */
export function openSocketServer(servers: HttpServer[], { log, authenticate, caller }: Options) {
  const io = new Server<Record<string, never>, Events, Record<string, never>, Data>({
    transports: ['websocket', 'polling'],
    serveClient: false,
    // The page and the socket may be on two ports of one host; the token, not a cookie, says who it is.
    cors: { origin: true },
    maxHttpBufferSize: 100_000,
  })
  for (const server of servers) io.attach(server)

  io.use((socket, next) => {
    const { token } = socket.handshake.query
    authenticate(typeof token === 'string' ? token : '').then(
      (found) => {
        socket.data = { caller: found, seq: 0 }
        next()
      },
      () => next(new Error('no live session')),
    )
  })
  io.on('connection', (socket) => void enterRooms(socket))

  const enterRooms = async (socket: LiveSocket): Promise<void> => {
    const { id, role } = socket.data.caller
    await socket.join([userRoom(id), ...role.map(roleRoom)])
  }

  /** Every socket counts its own events, so that the browser sees a gap. */
  const emit = <E extends keyof SocketEvents>(sockets: Iterable<LiveSocket>, event: E, data: Omit<SocketEvents[E], 'seq'>) => {
    for (const socket of sockets) {
      socket.data.seq++
      // The parameters of an event chosen at run time are beyond what the library's types can follow.
      socket.emit(event, ...([{ ...data, seq: socket.data.seq }] as unknown as Parameters<Events[E]>))
    }
  }

  const inRooms = (rooms: string[]): Set<LiveSocket> => {
    const found = new Set<LiveSocket>()
    for (const room of rooms)
      for (const id of io.sockets.adapter.rooms.get(room) ?? []) {
        const socket = io.sockets.sockets.get(id)
        if (socket) found.add(socket)
      }
    return found
  }

  /** Sockets of a person whose rights changed: out with those whose session is over, the others into their new rooms. */
  const recheck = async (sockets: Iterable<LiveSocket>): Promise<void> => {
    for (const socket of sockets) {
      const found = await caller(socket.data.caller.sessionId)
      if (!found) {
        socket.disconnect(true)
        continue
      }
      for (const role of socket.data.caller.role) await socket.leave(roleRoom(role))
      socket.data.caller = found
      await enterRooms(socket)
    }
  }

  return {
    /** Something another part of the system told every server. */
    async deliver(message: LiveMessage): Promise<void> {
      if (message.kind === 'identity') return recheck(inRooms([userRoom(message.userId)]))
      emit(inRooms(message.rooms), message.event.event, message.event.data)
    },
    /** Messages may have been missed: sessions are looked at again, and a skipped number makes browsers fetch anew. */
    async resynchronise(): Promise<void> {
      const all = [...io.sockets.sockets.values()]
      for (const socket of all) socket.data.seq++
      await recheck(all)
      for (const changed of ['clusters', 'nodes', 'queuedjobs', 'users'] as const) emit(all, 'change', { changed })
    },
    count: () => io.sockets.sockets.size,
    async close(): Promise<void> {
      io.disconnectSockets(true)
      await io.close().catch((error: unknown) => log.debug({ err: error }, 'socket server was closed already'))
    },
  }
}
