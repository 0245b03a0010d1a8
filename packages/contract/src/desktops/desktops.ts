import * as z from 'zod/mini'
import { del, get, post } from '../endpoint'
import { Id, Removed, Time } from '../lists'

/** A ticket opens one connection, and only within this time. */
export const DESKTOP_TICKET_MS = 30_000
/** A desktop that no one is connected to ends after this time, also when the console is gone. */
export const DESKTOP_IDLE_MS = 12 * 60 * 60_000
/** Connections to one desktop at a time, its owner's windows included. */
export const DESKTOP_VIEWERS_MAX = 8
/** Where the browser opens the WebSocket of a desktop. Its first message is the ticket. */
export const DESKTOP_SOCKET = '/api/desktops/socket'

export const DesktopMode = z.enum(['control', 'view'])
export type DesktopMode = z.infer<typeof DesktopMode>

export const DesktopViewer = z.object({
  id: Id,
  userId: Id,
  name: z.string(),
  mode: DesktopMode,
  since: Time,
})
export type DesktopViewer = z.infer<typeof DesktopViewer>

/** How to connect a VNC viewer on one's own computer: through an SSH tunnel to a socket that only the account can open. */
const DesktopTunnel = z.object({ command: z.string(), viewer: z.string() })

export const Desktop = z.object({
  id: Id,
  clusterId: Id,
  clusterName: z.string(),
  ownerId: Id,
  owner: z.string(),
  /** `starting` while its programs come up. */
  state: z.enum(['starting', 'running', 'ending']),
  createdAt: Time,
  /** When a key or the pointer was last used in it. */
  lastActivityAt: Time,
  /** When it ends unless someone connects. */
  expiresAt: Time,
  /** Who is connected now: its owner as well as those who watch or control it. */
  viewers: z.array(DesktopViewer),
  /** The viewer asks for the desktop's password, which only its owner can see. */
  asksPassword: z.boolean(),
  tunnel: z.nullable(DesktopTunnel),
})
export type Desktop = z.infer<typeof Desktop>

/** What the server says over the WebSocket after the ticket, as JSON text; then binary RFB begins. */
export const DesktopHandshake = z.union([
  z.object({ ok: z.literal(true), mode: DesktopMode }),
  z.object({ ok: z.literal(false), message: z.string() }),
])
export type DesktopHandshake = z.infer<typeof DesktopHandshake>

/** Close codes of the WebSocket: after `ended` there is nothing to reconnect to. */
export const DESKTOP_CLOSE = { ended: 4000, interrupted: 4001 } as const

export const desktops = {
  create: get('/api/clusters/createVNCSession/:id', {
    summary: 'Start your desktop on a cluster, or get the one that is running',
    access: 'loggedIn',
    tokens: 'all',
    reply: z.object({ id: Id, url: z.string(), expiresAt: Time }),
  }),
  list: get('/api/desktops', {
    summary: 'List your desktops, newest first. With admin scope, those of everyone',
    access: 'loggedIn',
    query: z.object({ cluster: z.optional(Id) }),
    reply: z.array(Desktop),
  }),
  view: get('/api/desktops/:id', {
    summary: 'Get a desktop that is yours or that you may watch',
    access: 'loggedIn',
    reply: Desktop,
  }),
  ticket: post('/api/desktops/:id/tickets', {
    summary:
      'Get a ticket that opens one connection within thirty seconds: to your own desktop, or as an instructor of its workshop or an admin to watch or control it',
    access: 'loggedIn',
    tokens: 'never',
    body: z.object({ mode: z._default(DesktopMode, 'control') }),
    reply: z.object({ ticket: z.string(), expiresAt: Time }),
    failure: 'caller',
  }),
  password: get('/api/desktops/:id/password', {
    summary: 'Get the password of your desktop, where viewers ask for one',
    access: 'loggedIn',
    tokens: 'never',
    reply: z.object({ password: z.string() }),
  }),
  end: del('/api/desktops/:id', {
    summary: 'End a desktop and the programs in it',
    access: 'loggedIn',
    reply: Removed,
  }),
  endViewer: del('/api/desktops/:id/viewers/:viewer', {
    summary: 'Disconnect someone from your desktop',
    access: 'loggedIn',
    reply: Removed,
  }),
}
