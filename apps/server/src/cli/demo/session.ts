import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@flotilla/client/client'
import { api } from '@flotilla/contract/api'
import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'

/** Calls the API as one user. */
export type Session = <E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  options?: { admin?: boolean },
) => Promise<Reply<E>>

/** Logs each user in once. */
export function makeSessions(url: string, password: string) {
  const server = connect(url)
  const open = new Map<string, Promise<Session>>()
  const logIn = async (username: string): Promise<Session> => {
    const { token } = await server.call(api.auth.login, { body: { username, password } })
    return (endpoint, input, options) => server.call(endpoint, input, { token, ...options })
  }
  return (username: string): Promise<Session> => {
    const session = open.get(username) ?? logIn(username)
    open.set(username, session)
    return session
  }
}
export type Sessions = ReturnType<typeof makeSessions>

const PAUSE_MS = 250
const TIMEOUT_MS = 5 * 60_000
/** Calls `find` until it finds something, and returns that. */
export async function waitFor<Found>(what: string, find: () => Promise<Found | undefined>): Promise<Found> {
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await sleep(PAUSE_MS)) {
    const found = await find()
    if (found !== undefined) return found
  }
  throw new Error(`${what}: this took too long`)
}
