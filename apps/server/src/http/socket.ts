import type { Server as HttpServer } from 'node:http'
import { Server, type Socket } from 'socket.io'
import { TOO_MANY_SOCKETS, type SocketEvents, type SocketStreams } from '@flotilla/contract/events'
import { isEntityRoom, type LiveMessage, roleRoom, userRoom } from '../live/live'
import { errors } from '@flotilla/contract/errors'
import type { SessionCaller } from './caller'
import { makeSocketLimits } from './socket-limits'
import type { SocketConnection, SocketRequests } from './socket-bind'

type Events = { [E in keyof SocketEvents]: (data: SocketEvents[E]) => void } & {
  [E in keyof SocketStreams]: (data: SocketStreams[E]) => void
}
type Requests = Record<string, (input: unknown, answer: unknown) => void>
type Data = { caller: SessionCaller; seq: number }
type LiveSocket = Socket<Requests, Events, Record<string, never>, Data>

type Options = {
  /** Returns the user behind a token, or fails. Sockets open automatically, so this does not count as activity. */
  authenticate: (token: string) => Promise<SessionCaller>
  /** The user of a session with their current roles; null if the session has ended. */
  caller: (sessionId: string) => Promise<SessionCaller | null>
  /** The rooms of the things that a user may see, from each module that has some. */
  rooms: ((me: SessionCaller) => Promise<string[]>)[]
  requests: SocketRequests
  /** Called when the session or permissions of this user (or, if omitted, of any user) changed. */
  identityChanged: (userId?: string) => void
}

/** Resolves when the browser has received what was sent to it; undefined while it keeps up. */
function backlog({ conn }: LiveSocket): Promise<void> | undefined {
  const { transport } = conn
  if (transport.writable) return undefined
  return new Promise((resolve) => {
    const done = () => {
      transport.off('ready', done)
      conn.off('upgrade', done)
      conn.off('close', done)
      resolve()
    }
    transport.once('ready', done)
    conn.once('upgrade', done)
    conn.once('close', done)
  })
}

/** The library sends `data` to the browser along with the message. */
const tooMany = () => Object.assign(new Error(errors.too_many_sockets.message), { data: TOO_MANY_SOCKETS })

/** Serves the browsers connected to this server and delivers to them what any server announces. */
export function openSocketServer(
  server: HttpServer,
  { authenticate, caller, rooms, requests, identityChanged }: Options,
) {
  const io = new Server<Requests, Events, Record<string, never>, Data>({
    transports: ['websocket', 'polling'],
    serveClient: false,
    // The page and the socket may be on two ports of one host; callers are identified by the token, not by a cookie.
    cors: { origin: true },
    maxHttpBufferSize: 100_000,
  })
  io.attach(server)
  const limits = makeSocketLimits()
  io.engine.on('connection', limits.opened)

  /** The error for a socket that is rejected; undefined if it is accepted. */
  const refusal = async (socket: LiveSocket): Promise<Error | undefined> => {
    const { token } = socket.handshake.query
    try {
      const found = await authenticate(typeof token === 'string' ? token : '')
      if (!limits.identified(socket.conn, found)) return tooMany()
      socket.data = { caller: found, seq: 0 }
      // The socket enters its rooms before it counts as connected: a browser then fetches everything once and must
      // receive every change from that moment on.
      await enterRooms(socket)
      return undefined
    } catch {
      return new Error('no live session')
    }
  }
  io.use((socket, next) => void refusal(socket).then(next))
  io.on('connection', async (socket) => {
    serveRequests(socket)
    try {
      // The session may have ended, or its rights changed, before the socket could be found by its room.
      await recheck(() => [socket])
    } catch {
      // The database is down: the browser reconnects on its own.
      socket.disconnect(true)
    }
  })

  const enterRooms = async (socket: LiveSocket): Promise<void> => {
    const { id, role } = socket.data.caller
    const visible = (await Promise.all(rooms.map((of) => of(socket.data.caller)))).flat()
    for (const room of socket.rooms)
      if (isEntityRoom(room) && !visible.includes(room)) await socket.leave(room)
    await socket.join([userRoom(id), ...role.map(roleRoom), ...visible])
  }

  const serveRequests = (socket: LiveSocket): void => {
    const closers: ((sessionOver: boolean) => void)[] = []
    const connection: SocketConnection = {
      me: () => socket.data.caller,
      emit: (event, data) =>
        void socket.emit(event, ...([data] as unknown as Parameters<Events[typeof event]>)),
      backlog: () => backlog(socket),
      onClose: (act) => void closers.push(act),
    }
    for (const [name, answer] of requests.answers)
      socket.on(name, (input: unknown, acknowledge: unknown) => {
        void answer(input, connection).then((result) => {
          if (typeof acknowledge === 'function') acknowledge(result)
        })
      })
    socket.on('disconnect', (reason) => {
      // The server itself ends a socket only when its session is over.
      for (const act of closers) act(reason === 'server namespace disconnect')
    })
  }

  /** Events are numbered per socket, so that the browser notices a gap. */
  const emit = <E extends keyof SocketEvents>(
    sockets: Iterable<LiveSocket>,
    event: E,
    data: Omit<SocketEvents[E], 'seq'>,
  ) => {
    for (const socket of sockets) {
      socket.data.seq++
      // The library's types cannot express the parameters of an event that is chosen at run time.
      socket.emit(event, ...([{ ...data, seq: socket.data.seq }] as unknown as Parameters<Events[E]>))
    }
  }

  const inRooms = (wanted: string[]): Set<LiveSocket> => {
    const found = new Set<LiveSocket>()
    for (const room of wanted)
      for (const id of io.sockets.adapter.rooms.get(room) ?? []) {
        const socket = io.sockets.sockets.get(id)
        if (socket) found.add(socket)
      }
    return found
  }

  /**
   * After a user's permissions changed: disconnects sockets whose session is over and moves the others to their new
   * rooms.
   */
  const recheckNow = async (sockets: Iterable<LiveSocket>): Promise<void> => {
    for (const socket of sockets) {
      // Disconnect on failure too: the browser reconnects on its own and authenticates again.
      const found = await caller(socket.data.caller.sessionId).catch(() => null)
      if (!found) {
        socket.disconnect(true)
        continue
      }
      for (const role of socket.data.caller.role)
        if (!found.role.includes(role)) await socket.leave(roleRoom(role))
      socket.data.caller = found
      await enterRooms(socket)
    }
  }
  // Messages are handled one after the other: a user who lost a right receives nothing that was sent afterward.
  let turn = Promise.resolve()
  const inTurn = (work: () => Promise<void> | void): Promise<void> => {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }
  const recheck = (sockets: () => Iterable<LiveSocket>) => inTurn(() => recheckNow(sockets()))

  return {
    /** Delivers a message that some part of the system announced to every server. */
    async deliver(message: LiveMessage): Promise<void> {
      if (message.kind === 'identity') {
        identityChanged(message.userId)
        return recheck(() => inRooms([userRoom(message.userId)]))
      }
      return inTurn(() => emit(inRooms(message.rooms), message.event.event, message.event.data))
    },
    /** For when messages may have been missed: checks sessions again, and skips a number to make browsers refetch. */
    async resynchronize(): Promise<void> {
      const all = [...io.sockets.sockets.values()]
      for (const socket of all) socket.data.seq++
      identityChanged()
      await recheck(() => all)
      // Browsers notice the gap with the next event, whatever it is, and refetch everything.
      emit(all, 'change', { changed: 'users' })
    },
    count: () => io.sockets.sockets.size,
    /** Ends every connection, even those that are not identified. The HTTP server is closed by its owner. */
    close(): void {
      io.disconnectSockets(true)
      io.engine.close()
    },
  }
}
