import { api } from '@flotilla/contract/api'
import { connect } from '@flotilla/client/client'
import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import type { Page, WebSocket } from '@playwright/test'
import type { Server } from './server'

export const PASSWORD = 'Correct-Horse-7!'

export type Role = 'admin' | 'instructor' | 'user'
export type Person = {
  id: string
  username: string
  firstName: string
  lastName: string
  email: string
  password: string
}
export type Session = { token: string; user: { id: string; username: string } }

/** Calls the API like the web app, with admin scope when a token is given. Throws errors. */
export const call = <E extends Endpoint>(
  server: Pick<Server, 'url'>,
  endpoint: E,
  input: Sent<E>,
  token?: string,
): Promise<Reply<E>> => connect(server.url).call(endpoint, input, { token, admin: token !== undefined })

export const logIn = (
  server: Pick<Server, 'url'>,
  { username, password }: { username: string; password: string },
): Promise<Session> => call(server, api.auth.login, { body: { username, password } })

/** How long an admin session is reused: some calls require a recently confirmed password. */
const RECENT_MS = 10 * 60_000
const adminSessions = new WeakMap<object, { since: number; session: Promise<Session> }>()
/** Whether a session is still valid: a test may have ended it, or set a short idle timer. */
const isAlive = (server: Pick<Server, 'url'>, token: string): Promise<boolean> =>
  call(server, api.ui.settings, {}, token).then(
    () => true,
    () => false,
  )

/** The first admin's token, shared by all tests on one server, for setup that is not under test. */
export async function adminToken(server: Pick<Server, 'url' | 'admin'>): Promise<string> {
  const known = adminSessions.get(server)
  if (known && Date.now() - known.since < RECENT_MS) {
    const { token } = await known.session
    if (await isAlive(server, token)) return token
  }
  const session = logIn(server, server.admin)
  adminSessions.set(server, { since: Date.now(), session })
  return (await session).token
}

let usersCreated = 0

/**
 * Creates a new user, so that no test depends on another. Names allow only letters and digits, hence the odd numbering.
 */
export async function newPerson(
  server: Server,
  role: Role[] = ['user'],
  change: { username?: string; endTime?: number; firstName?: string; lastName?: string } = {},
): Promise<Person> {
  usersCreated += 1
  const username = change.username ?? `${role[0]}${process.pid}x${usersCreated}`
  const person = {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: `${username}@example.org`,
    password: PASSWORD,
    ...change,
    username,
  }
  const token = await adminToken(server)
  const { id } = await call(server, api.users.create, { body: { ...person, role } }, token)
  return { ...person, id }
}

/** Stores a token where the web app keeps its own, for tests that are not about the login. */
export async function keepToken(page: Page, server: Pick<Server, 'url'>, token: string): Promise<void> {
  // Any file of the site works: storage belongs to the origin, and a file runs no app code.
  await page.goto(`${server.url}/favicon.svg`)
  await page.evaluate((value) => localStorage.setItem('flotilla.token', value), token)
}

/** Opens a page as a user who is already logged in. */
export async function open(
  page: Page,
  server: Pick<Server, 'url'>,
  person: { username: string; password: string },
  path = '/',
): Promise<Session> {
  const session = await logIn(server, person)
  await keepToken(page, server, session.token)
  await page.goto(server.url + path)
  return session
}

/** Opens a page and waits until it receives live updates. */
export async function liveIn<T>(page: Page, opens: () => Promise<T>): Promise<T> {
  let accept = () => {}
  const accepted = new Promise<void>((resolve) => (accept = resolve))
  // The page opens another socket when the first connection fails.
  const listen = (socket: WebSocket) => {
    if (socket.url().includes('/socket.io/'))
      // The message with which the server accepts a connection.
      socket.on('framereceived', ({ payload }) => payload.toString().startsWith('40') && accept())
  }
  page.on('websocket', listen)
  const opened = await opens()
  await accepted
  page.off('websocket', listen)
  return opened
}
/** Like `open`, and waits until the page receives live updates. */
export const openLive = (...[page, ...rest]: Parameters<typeof open>): Promise<Session> =>
  liveIn(page, () => open(page, ...rest))

/** Limits a list's page size, so that it has several pages; rows and cursors still come from the server. */
export const shortPages = (page: Page, { path }: Endpoint, rows: number): Promise<unknown> =>
  page.route(
    ({ pathname }) => pathname === path,
    (route) => {
      const url = new URL(route.request().url())
      if (url.searchParams.has('limit')) url.searchParams.set('limit', String(rows))
      return route.continue({ url: url.href })
    },
  )
