import * as z from 'zod/mini'
import { del, get, post } from '../endpoint'
import { Id, Removed, Time } from '../lists'

/** How long a ticket is valid. It opens one connection. */
export const DESKTOP_TICKET_MS = 30_000
/** A desktop without a connection ends after this time, even if the console is stopped. */
export const DESKTOP_IDLE_MS = 12 * 60 * 60_000
/** Simultaneous connections to one desktop, including its owner's windows. */
export const DESKTOP_VIEWERS_MAX = 8
/** The path of a desktop's WebSocket. The browser's first message is the ticket. */
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

/**
 * How to connect with a VNC viewer on the user's own computer: through an SSH tunnel to a socket that only the account
 * can open.
 */
const DesktopTunnel = z.object({ command: z.string(), viewer: z.string() })

export const Desktop = z.object({
  id: Id,
  clusterId: Id,
  clusterName: z.string(),
  ownerId: Id,
  owner: z.string(),
  /** `starting` until its programs run. */
  state: z.enum(['starting', 'running', 'ending']),
  createdAt: Time,
  /** The last keyboard or pointer input. */
  lastActivityAt: Time,
  /** When it ends unless someone connects. */
  expiresAt: Time,
  /** Everyone who is connected now: the owner as well as users who view or control it. */
  viewers: z.array(DesktopViewer),
  /** Whether the viewer prompts for the desktop's password, which only its owner can see. */
  asksPassword: z.boolean(),
  tunnel: z.nullable(DesktopTunnel),
})
export type Desktop = z.infer<typeof Desktop>

/** The server's reply to the ticket, as JSON text; binary RFB follows. */
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
