import { api } from '@flotilla/contract/api'
import { connect } from '@flotilla/client/client'
import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import type { Page } from '@playwright/test'
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

/** A call of the API as the web makes it, with admin scope where the token has it; a refusal is thrown. */
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

/** Some calls need a password that was given lately. */
const LATELY_MS = 10 * 60_000
const adminSessions = new WeakMap<object, { since: number; session: Promise<Session> }>()

/** A login of the first admin that tests on one server share, for what a test needs and does not test. */
export function adminToken(server: Pick<Server, 'url' | 'admin'>): Promise<string> {
  const known = adminSessions.get(server)
  const current =
    known && Date.now() - known.since < LATELY_MS
      ? known
      : { since: Date.now(), session: logIn(server, server.admin) }
  adminSessions.set(server, current)
  return current.session.then(({ token }) => token)
}

let made = 0

/** Somebody new, so that no test depends on another. Names hold letters only, hence the odd numbering. */
export async function newPerson(
  server: Server,
  role: Role[] = ['user'],
  change: { username?: string; endTime?: number; firstName?: string; lastName?: string } = {},
): Promise<Person> {
  made += 1
  const username = change.username ?? `${role[0]}${process.pid}x${made}`
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

/** Puts a token where the web keeps its own: for tests whose subject is not the login. */
export async function keepToken(page: Page, server: Pick<Server, 'url'>, token: string): Promise<void> {
  // Any file of the site will do: storage belongs to the origin, and no page runs meanwhile.
  await page.goto(`${server.url}/favicon.svg`)
  await page.evaluate((value) => localStorage.setItem('flotilla.token', value), token)
}

/** Opens a page as somebody who has logged in before. */
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

/** The same, and waits until the page hears of changes. */
export async function openLive(...[page, ...rest]: Parameters<typeof open>): Promise<Session> {
  const heard = page
    .waitForEvent('websocket', (socket) => socket.url().includes('/socket.io/'))
    // The message with which the server lets a connection in.
    .then((socket) =>
      socket.waitForEvent('framereceived', ({ payload }) => payload.toString().startsWith('40')),
    )
  const session = await open(page, ...rest)
  await heard
  return session
}

/** Lets a list come by so few rows at a time that it has several pages; rows and cursors are the server's own. */
export const shortPages = (page: Page, path: string, rows: number): Promise<unknown> =>
  page.route(
    ({ pathname }) => pathname === path,
    (route) => {
      const url = new URL(route.request().url())
      if (url.searchParams.has('limit')) url.searchParams.set('limit', String(rows))
      return route.continue({ url: url.href })
    },
  )
