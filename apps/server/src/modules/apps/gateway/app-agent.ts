import { Agent, type ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The maximum number of connections to one app, and of idle ones that are kept. */
const CONNECTIONS_MAX = 64
const CONNECTIONS_KEPT = 16
const KEEP_ALIVE_MS = 1000

const nothing = () => {}

/**
 * Connects through the cluster and reuses connections. Node's own agent manages connections of many hosts, and finding
 * the right one takes it longer than a whole request may take here, where there is only one host.
 */
export class AppAgent extends Agent {
  private readonly connections = new Set<Socket>()
  private readonly idle: Socket[] = []
  private readonly waiting: ClientRequest[] = []
  private opening = 0
  private isClosed = false

  constructor(private readonly port: { connect(): Promise<Duplex> }) {
    super({ keepAlive: true, maxSockets: CONNECTIONS_MAX })
  }

  /** Called by Node for each request. */
  addRequest(request: ClientRequest): void {
    if (this.isClosed) return fail(request, notInUse())
    for (let connection = this.idle.pop(); connection; connection = this.idle.pop())
      if (isOpen(connection)) return give(request, connection, true)
    this.waiting.push(request)
    this.openMore()
  }

  override destroy(): void {
    this.isClosed = true
    for (const connection of this.connections) discard(connection)
    for (const request of this.waiting.splice(0)) fail(request, notInUse())
  }

  private openMore(): void {
    if (this.isClosed || this.opening >= this.waiting.length) return
    if (this.opening + this.connections.size >= CONNECTIONS_MAX) return
    this.opening++
    this.port.connect().then(
      (connection) => {
        this.opening--
        this.add(withSocketMethods(connection))
      },
      (error: Error) => {
        this.opening--
        const request = this.waiting.shift()
        if (request) fail(request, error)
        this.openMore()
      },
    )
  }

  private add(connection: Socket): void {
    // Requests handle errors themselves; this covers the time between them, when an unhandled error would end the server.
    connection.on('error', nothing)
    if (this.isClosed) return discard(connection)
    const remove = () => {
      connection.off('close', remove).off('agentRemove', remove).off('free', free).off('end', ended)
      this.connections.delete(connection)
      this.forget(connection)
      this.openMore()
    }
    const ended = () => this.forget(connection) && discard(connection)
    const free = () => this.release(connection, true)
    // Node emits the last two when a request is done, and when an upgrade takes over the connection.
    connection.on('close', remove).on('end', ended).on('free', free).on('agentRemove', remove)
    connection.setKeepAlive(true, KEEP_ALIVE_MS)
    this.connections.add(connection)
    this.release(connection, false)
  }

  private release(connection: Socket, isReused: boolean): void {
    if (this.isClosed || !isOpen(connection) || this.idle.includes(connection)) return discard(connection)
    const request = this.waiting.shift()
    if (request) return give(request, connection, isReused)
    if (this.idle.length >= CONNECTIONS_KEPT) return discard(connection)
    // Resumed, so that we notice if the app closes it.
    this.idle.push(connection.resume())
  }

  private forget(connection: Socket): boolean {
    const at = this.idle.indexOf(connection)
    if (at >= 0) this.idle.splice(at, 1)
    return at >= 0
  }
}

const isOpen = ({ readable, writable }: Socket): boolean => readable && writable

const notInUse = () => new Error('The app is no longer in use')

function give(request: ClientRequest, connection: Socket, isReused: boolean): void {
  request.reusedSocket = isReused
  request.onSocket(connection)
}

function fail(request: ClientRequest, error: Error): void {
  request.destroy(error)
  // Border: the type requires a socket, but Node reports the error of a request without one when it is assigned.
  request.onSocket(undefined as unknown as Socket)
}

/** An SSH channel closes only after everything received has been read. */
const discard = (connection: Duplex): void => void connection.destroy().resume()

/** A connection through the cluster may be an SSH channel, which lacks some methods of sockets. */
function withSocketMethods(stream: Duplex): Socket {
  const missing = ['setKeepAlive', 'setNoDelay', 'setTimeout', 'ref', 'unref'].filter(
    (name) => !(name in stream),
  )
  // Border: it now has every method that Node's client calls.
  Object.assign(stream, Object.fromEntries(missing.map((name) => [name, nothing])))
  return stream as Socket
}
