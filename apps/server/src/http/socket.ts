import type { Server as HttpServer } from 'node:http'
import { Server, type Socket } from 'socket.io'
import { TOO_MANY_SOCKETS, type SocketEvents, type SocketStreams } from '@flotilla/contract/events'
import { isThingRoom, type LiveMessage, roleRoom, userRoom } from '../live/live'
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
  /** The person behind a token, or a failure. A socket opens on its own, so it is no activity. */
  authenticate: (token: string) => Promise<SessionCaller>
  /** Whether a session still lives, and with which roles. */
  caller: (sessionId: string) => Promise<SessionCaller | null>
  /** The rooms of the things that a person may see, from each module that has some. */
  rooms: ((me: SessionCaller) => Promise<string[]>)[]
  requests: SocketRequests
  /** Called when the session or permissions of this user (or, if omitted, of any user) changed. */
  identityChanged: (userId?: string) => void
}

/** Resolves when the browser has taken in what was sent to it; undefined while it keeps up. */
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

/** The library gives `data` to the browser beside the message. */
const tooMany = () => Object.assign(new Error(errors.too_many_sockets.message), { data: TOO_MANY_SOCKETS })

/** Browsers connected to this server, and what reaches them from any server. */
export function openSocketServer(
  server: HttpServer,
  { authenticate, caller, rooms, requests, identityChanged }: Options,
) {
  const io = new Server<Requests, Events, Record<string, never>, Data>({
    transports: ['websocket', 'polling'],
    serveClient: false,
    // The page and the socket may be on two ports of one host; the token, not a cookie, says who it is.
    cors: { origin: true },
    maxHttpBufferSize: 100_000,
  })
  io.attach(server)
  const limits = makeSocketLimits()
  io.engine.on('connection', limits.opened)

  /** Why a socket is refused, if it is. */
  const refusal = async (socket: LiveSocket): Promise<Error | undefined> => {
    const { token } = socket.handshake.query
    try {
      const found = await authenticate(typeof token === 'string' ? token : '')
      if (!limits.identified(socket.conn, found)) return tooMany()
      socket.data = { caller: found, seq: 0 }
      // Before it counts as connected: a browser fetches everything then, and must hear of every change from then on.
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
      if (isThingRoom(room) && !visible.includes(room)) await socket.leave(room)
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

  /** Every socket counts its own events, so that the browser sees a gap. */
  const emit = <E extends keyof SocketEvents>(
    sockets: Iterable<LiveSocket>,
    event: E,
    data: Omit<SocketEvents[E], 'seq'>,
  ) => {
    for (const socket of sockets) {
      socket.data.seq++
      // The parameters of an event chosen at run time are beyond what the library's types can follow.
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

  /** After a user's permissions changed: disconnects sockets whose session is over and moves the others to their new rooms. */
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
  // One after the other: a user who lost a right receives nothing that was sent afterward.
  let turn = Promise.resolve()
  const inTurn = (work: () => Promise<void> | void): Promise<void> => {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }
  const recheck = (sockets: () => Iterable<LiveSocket>) => inTurn(() => recheckNow(sockets()))

  return {
    /** Something another part of the system announced to every server. */
    async deliver(message: LiveMessage): Promise<void> {
      if (message.kind === 'identity') {
        identityChanged(message.userId)
        return recheck(() => inRooms([userRoom(message.userId)]))
      }
      return inTurn(() => emit(inRooms(message.rooms), message.event.event, message.event.data))
    },
    /** Messages may have been missed: sessions are checked again, and a skipped number makes browsers fetch again. */
    async resynchronize(): Promise<void> {
      const all = [...io.sockets.sockets.values()]
      for (const socket of all) socket.data.seq++
      identityChanged()
      await recheck(() => all)
      // The gap shows with the next event, whatever it is about: browsers then fetch everything again.
      emit(all, 'change', { changed: 'users' })
    },
    count: () => io.sockets.sockets.size,
    /** Ends every connection, also those that have not said who they are. The HTTP server is not ours to close. */
    close(): void {
      io.disconnectSockets(true)
      io.engine.close()
    },
  }
}
