import { auth } from '@flotilla/contract/people/auth'
import { call } from '../../api/call'
import { startSession } from '../../session/session'

/** What the login page asks the server, fetched while the name is being typed: the page itself does without schemas. */
export async function logIn(body: {
  username: string
  password: string
  userKey: string | undefined
}): Promise<void> {
  startSession(await call(auth.login, { body }))
}

export const fetchInvitation = (userKey: string, signal: AbortSignal) =>
  call(auth.invitation, { body: { userKey } }, { signal })
