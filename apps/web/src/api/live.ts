import { clusters } from '@flotilla/contract/clusters/clusters'
import type { ServedConfig } from '@flotilla/contract/site/config'
import { credentials } from '@flotilla/contract/clouds/credentials'
import type { Endpoint } from '@flotilla/contract/endpoint'
import { TOO_MANY_SOCKETS, type Changed, type SocketEvents } from '@flotilla/contract/events'
import { jobs } from '@flotilla/contract/jobs/jobs'
import { DEFAULT_WEBSOCKET_PORT } from '@flotilla/contract/limits'
import { settings } from '@flotilla/contract/site/settings'
import type { QueryClient } from '@tanstack/react-query'
import { refreshSession } from '../session/session'
import { currentUser, endSession } from '../session/store'
import { createStore, useStore } from '../store'
import { deliver, setSocket } from './socket'

/** `since` is when the present state began. */
type Live = {
  connected: boolean
  since: number
  everConnected: boolean
  /** Refused because this person has too many connections. */
  tooMany: boolean
}

const offline = (): Live => ({ connected: false, since: Date.now(), everConnected: false, tooMany: false })
const live = createStore<Live>(offline())
export const useLive = (): Live => useStore(live)

const under =
  (...prefixes: string[]) =>
  (path: string) =>
    prefixes.some((prefix) => path.startsWith(prefix))
const exactly = (...endpoints: Endpoint[]) => {
  const paths = new Set(endpoints.map(({ path }) => path))
  return (path: string) => paths.has(path)
}

/** Which calls look different after a change: every query of such a path is fetched again. */
const touches: Record<Changed, (path: string) => boolean> = {
  stacks: under('/api/stacks'),
  // A credential says how many clusters use it.
  clusters: exactly(
    clusters.list,
    clusters.view,
    clusters.names,
    clusters.logs,
    clusters.activities,
    credentials.list,
    credentials.uses,
  ),
  // The counts of nodes and jobs are part of the cluster itself.
  nodes: exactly(clusters.list, clusters.view, clusters.nodes, clusters.node, clusters.load),
  queuedjobs: exactly(
    clusters.list,
    clusters.view,
    clusters.queue,
    clusters.node,
    jobs.list,
    jobs.view,
    jobs.submissions,
    jobs.submission,
    jobs.outputs,
  ),
  // Admins see how many wait for approval, and people whether they do.
  users: (path) => under('/api/users')(path) || exactly(settings.ui)(path),
  sessions: under('/api/auth/sessions'),
  // Clusters cost what the settings say that a core does.
  settings: (path) =>
    under('/api/settings', '/api/ui', '/api/providers', '/api/instance-sizes-hash')(path) ||
    exactly(clusters.list, clusters.view)(path),
  credentials: exactly(credentials.list, credentials.uses),
}

const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 15_000
/** A flood of changes must not cancel every fetch before it is answered. */
const REFETCH_EVERY_MS = 200

/** The configured port, and the page's own address for sites behind a proxy that forwards only that one. */
export function socketAddresses(
  port: number,
  page: { origin: string; protocol: string; hostname: string },
): string[] {
  const own = new URL(`${page.protocol}//${page.hostname}:${port || DEFAULT_WEBSOCKET_PORT}`).origin
  return own === page.origin ? [own] : [own, page.origin]
}

/** Each connection counts its events from 1. A number that is not the next one means that something was lost. */
export const isGap = (last: number, seq: number): boolean => seq !== last + 1

/** Connects and stays connected until the returned function is called. The only place where events become refetches. */
export function startLive(client: QueryClient, config: ServedConfig): () => void {
  const addresses = socketAddresses(config.websocketPort, location)
  let stopped = false
  let attempt = 0
  let close = () => {}
  let timer: ReturnType<typeof setTimeout> | undefined
  const changes = atMostEvery(REFETCH_EVERY_MS, (changed: Changed) => refetch(client, changed))

  const connect = async () => {
    const { openSocket } = await import('./io')
    if (stopped) return
    // Coming online may cut in on an attempt that is still under way.
    close()
    let last = 0
    const socket = openSocket(addresses[attempt % addresses.length])
    close = () => {
      setSocket(null)
      socket.disconnect()
    }

    const again = (tooMany = false) => {
      close()
      if (stopped) return
      setConnected(false, tooMany)
      // Spread out: a server that comes back must not meet everybody at once.
      const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt) * (0.5 + Math.random() / 2)
      attempt += 1
      clearTimeout(timer)
      timer = setTimeout(() => void connect(), wait)
    }
    socket.on('connect', () => {
      attempt = addresses.length > 1 ? attempt % addresses.length : 0
      setSocket(socket)
      setConnected(true)
      // Clusters, nodes, queued jobs, and whatever else is on screen: all may have changed meanwhile.
      void client.invalidateQueries()
    })
    socket.on('disconnect', () => again())
    socket.on('connect_error', (error) => {
      const tooMany = isTooMany(error)
      again(tooMany)
      // Reached and refused: the token is too old, or the session is over. Asking for a new one tells which.
      const refused = !('type' in error) && !tooMany
      if (refused && !stopped) refreshSession({ repeat: true }).catch(() => undefined)
    })
    socket.onAny((name: keyof SocketEvents, event: { seq: number }) => {
      if (deliver(name, event)) return
      if (isGap(last, event.seq)) void client.invalidateQueries()
      last = event.seq
      // Border: the contract says what each name carries; a socket message has no type of its own.
      if (name === 'change') changes((event as SocketEvents['change']).changed)
      else endIfMine({ name, ...event } as Ending)
    })
  }

  const online = () => {
    clearTimeout(timer)
    if (!live.get().connected) void connect()
  }
  void connect()
  addEventListener('online', online)
  return () => {
    stopped = true
    clearTimeout(timer)
    removeEventListener('online', online)
    close()
    live.set(offline())
  }
}

/** Whether the server refused a connection because there are too many: the session itself is fine. */
export const isTooMany = (error: object): boolean =>
  'data' in error && JSON.stringify(error.data) === JSON.stringify(TOO_MANY_SOCKETS)

function setConnected(connected: boolean, tooMany = false): void {
  const before = live.get()
  const everConnected = before.everConnected || connected
  if (before.connected === connected && before.everConnected) live.set({ ...before, tooMany })
  else live.set({ connected, since: Date.now(), everConnected, tooMany })
}

/** Acts at once, and then for all that came within the pause once more at its end; each kind by itself. */
export function atMostEvery<Kind>(ms: number, act: (kind: Kind) => void): (kind: Kind) => void {
  const waiting = new Map<Kind, boolean>()
  return function run(kind) {
    if (waiting.has(kind)) {
      waiting.set(kind, true)
      return
    }
    act(kind)
    waiting.set(kind, false)
    setTimeout(() => {
      const again = waiting.get(kind)
      waiting.delete(kind)
      if (again) run(kind)
    }, ms)
  }
}

export function refetch(client: QueryClient, changed: Changed): void {
  const touched = touches[changed]
  // A newer server may speak of things this page does not know yet.
  if (!touched) return
  void client.invalidateQueries({
    predicate: ({ queryKey: [path] }) => typeof path === 'string' && touched(path),
  })
}

type Ending =
  | ({ name: 'trainingSessionIsEnding' } & SocketEvents['trainingSessionIsEnding'])
  | ({ name: 'publicDemoSessionIsEnding' } & SocketEvents['publicDemoSessionIsEnding'])
  | ({ name: 'silentLogout' } & SocketEvents['silentLogout'])

/** Endings are heard by many and meant for some. */
export function endIfMine(event: Ending): void {
  const user = currentUser()
  if (!user) return
  if (event.name === 'trainingSessionIsEnding') {
    if (user.sessionCode !== null && user.sessionCode === event.sessionCode) endSession('closed')
  } else if (event.username === user.username) {
    endSession(event.name === 'silentLogout' ? 'silent' : 'closed')
  }
}
