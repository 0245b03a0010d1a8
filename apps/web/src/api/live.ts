import type { api } from '@flotilla/contract/api'
import type { ServedConfig } from '@flotilla/contract/site/config'
import { TOO_MANY_SOCKETS, type Changed, type SocketEvents } from '@flotilla/contract/events'
import { DEFAULT_WEBSOCKET_PORT } from '@flotilla/contract/limits'
import type { QueryClient } from '@tanstack/react-query'
import { currentUser, endSession } from '../session/store'
import { createStore, useStore } from '../store'
import { deliver, setSocket } from './socket'

/** `since` is when the current state began. */
type Live = {
  connected: boolean
  since: number
  everConnected: boolean
  /** Rejected because the user has too many connections. */
  tooMany: boolean
}

const offline = (): Live => ({ connected: false, since: Date.now(), everConnected: false, tooMany: false })
const live = createStore<Live>(offline())
export const useLive = (): Live => useStore(live)

type PathsOf<Noun> = Noun extends unknown
  ? { [N in keyof Noun]: Noun[N] extends { path: infer P } ? P : never }[keyof Noun]
  : never
/** A path of the contract. Only its type is imported: the endpoints would add every schema to the first page. */
type Path = PathsOf<(typeof api)[keyof typeof api]>
type Area<P extends string> = P extends `/api/${infer First}/${string}` ? `/api/${First}` : P
const under =
  (...areas: (Path | Area<Path>)[]) =>
  (path: string) =>
    areas.some((area) => path.startsWith(area))
const exactly = (...paths: Path[]) => {
  const all = new Set<string>(paths)
  return (path: string) => all.has(path)
}

/** Which calls a change affects: every query with a matching path is refetched. */
const touches: Record<Changed, (path: string) => boolean> = {
  stacks: under('/api/stacks'),
  desktops: under('/api/desktops'),
  trainings: under('/api/trainings'),
  courses: under('/api/courses'),
  // A credential includes how many clusters use it.
  clusters: exactly(
    '/api/clusters/',
    '/api/clusters/participant',
    '/api/clusters/:id',
    '/api/clusters/names',
    '/api/clusters/logs/:id/:type',
    '/api/clusters/activities/:id',
    '/api/credentials/',
    '/api/credentials/:id/uses',
    '/api/dashboard',
  ),
  // The counts of nodes and jobs are part of the cluster itself.
  nodes: exactly(
    '/api/clusters/',
    '/api/clusters/participant',
    '/api/clusters/:id',
    '/api/clusters/:id/nodes',
    '/api/clusters/node/:cluster/:node',
    '/api/clusters/:id/load',
    '/api/dashboard',
  ),
  queuedjobs: exactly(
    '/api/clusters/',
    '/api/clusters/participant',
    '/api/clusters/:id',
    '/api/clusters/:id/queue',
    '/api/clusters/node/:cluster/:node',
    '/api/jobs/',
    '/api/jobs/:id',
    '/api/jobs/:id/submissions',
    '/api/jobs/submissions/:id',
    '/api/jobs/submissions/:id/tasks',
    '/api/jobs/outputs/:id',
    '/api/apps/sessions/',
    '/api/apps/sessions/:id',
    '/api/dashboard',
  ),
  apps: under('/api/apps'),
  // Admins see how many users wait for approval, and users see whether they do.
  users: (path) => under('/api/users')(path) || exactly('/api/ui/settings')(path),
  sessions: under('/api/auth/sessions'),
  // See followAccount.
  account: () => false,
  // The settings determine what local clusters cost.
  settings: (path) =>
    under(
      '/api/settings',
      '/api/ldap',
      '/api/ui',
      '/api/dashboard',
      '/api/providers',
      '/api/instance-sizes-hash',
    )(path) || exactly('/api/clusters/', '/api/clusters/:id')(path),
  credentials: exactly('/api/credentials/', '/api/credentials/:id/uses'),
}

const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 15_000
/** A flood of changes must not cancel every fetch before it completes. */
const REFETCH_EVERY_MS = 200

/** The configured port, and the page's own address for sites behind a proxy that forwards only that one. */
export function socketAddresses(
  port: number,
  page: { origin: string; protocol: string; hostname: string },
): string[] {
  const own = new URL(`${page.protocol}//${page.hostname}:${port || DEFAULT_WEBSOCKET_PORT}`).origin
  return own === page.origin ? [own] : [own, page.origin]
}

/** Each connection numbers its events from 1. A gap means that an event was lost. */
export const isGap = (last: number, seq: number): boolean => seq !== last + 1

/** Connects and stays connected until the returned function is called. The only place where events become refetches. */
export function startLive(
  client: QueryClient,
  config: ServedConfig,
  refreshSession: () => Promise<void>,
): () => void {
  const addresses = socketAddresses(config.websocketPort, location)
  let stopped = false
  let attempt = 0
  let close = () => {}
  let timer: ReturnType<typeof setTimeout> | undefined
  const changes = atMostEvery(REFETCH_EVERY_MS, (changed: Changed) =>
    changed === 'account' ? void followAccount(client, refreshSession) : refetch(client, changed),
  )

  const connect = async () => {
    const { openSocket } = await import('./io')
    if (stopped) return
    // Coming online may interrupt an attempt that is still in progress.
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
      // Jitter keeps clients from all reconnecting at the same moment after a restart of the server.
      const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt) * (0.5 + Math.random() / 2)
      attempt += 1
      clearTimeout(timer)
      timer = setTimeout(() => void connect(), wait)
    }
    socket.on('connect', () => {
      attempt = addresses.length > 1 ? attempt % addresses.length : 0
      setSocket(socket)
      // The page was loaded with the account as it is; after a loss of the connection it may have changed.
      if (live.get().everConnected) void followAccount(client, refreshSession)
      setConnected(true)
      // Clusters, nodes, queued jobs and everything else on screen may have changed in the meantime.
      void client.invalidateQueries()
    })
    socket.on('disconnect', () => again())
    socket.on('connect_error', (error) => {
      const tooMany = isTooMany(error)
      again(tooMany)
      // Connected but rejected: the token is too old, or the session has ended. A refresh finds out which.
      const rejected = !('type' in error) && !tooMany
      if (rejected && !stopped) refreshSession().catch(() => undefined)
    })
    socket.onAny((name: keyof SocketEvents, event: { seq: number }) => {
      if (deliver(name, event)) return
      if (isGap(last, event.seq)) {
        void client.invalidateQueries()
        void followAccount(client, refreshSession)
      }
      last = event.seq
      // Border: the contract defines what each event carries; a socket message has no type.
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

/** Whether the server rejected the connection because there are too many; the session itself is fine. */
export const isTooMany = (error: object): boolean =>
  'data' in error && JSON.stringify(error.data) === JSON.stringify(TOO_MANY_SOCKETS)

function setConnected(connected: boolean, tooMany = false): void {
  const before = live.get()
  const everConnected = before.everConnected || connected
  if (before.connected === connected && before.everConnected) live.set({ ...before, tooMany })
  else live.set({ connected, since: Date.now(), everConnected, tooMany })
}

/**
 * Acts immediately, and once more at the end of the interval for everything that arrived during it; each kind
 * separately.
 */
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
  // A newer server may send kinds of changes that this page does not know yet.
  if (!touched) return
  void client.invalidateQueries({
    predicate: ({ queryKey: [path] }) => typeof path === 'string' && touched(path),
  })
}

/** Refreshes the session after a change of the user's own account, whose roles or end time may have changed. */
async function followAccount(client: QueryClient, refreshSession: () => Promise<void>): Promise<void> {
  const roles = () => currentUser()?.role.join()
  const before = roles()
  // If the session is over, the rejected refresh ends it.
  await refreshSession().catch(() => undefined)
  if (roles() !== before) await client.invalidateQueries()
}

type Ending =
  | ({ name: 'trainingSessionIsEnding' } & SocketEvents['trainingSessionIsEnding'])
  | ({ name: 'publicDemoSessionIsEnding' } & SocketEvents['publicDemoSessionIsEnding'])
  | ({ name: 'silentLogout' } & SocketEvents['silentLogout'])

/** Many users receive these events; each ends only its own session. */
export function endIfMine(event: Ending): void {
  const user = currentUser()
  if (!user) return
  if (event.name === 'trainingSessionIsEnding') {
    if (user.sessionCode !== null && user.sessionCode === event.sessionCode) endSession('timeUp')
  } else if (event.username === user.username) {
    endSession(event.name === 'silentLogout' ? 'silent' : 'timeUp')
  }
}
