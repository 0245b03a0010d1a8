import { auth } from '@flotilla/contract/people/auth'
import { call } from '../../api/call'
import { startSession } from '../../login/session'

/** The login page's requests. They are loaded while the user types, because only they need the schemas. */
export async function logIn(body: {
  username: string
  password: string
  userKey: string | undefined
}): Promise<void> {
  startSession(await call(auth.login, { body }))
}

export async function logInWithLdap(body: {
  username: string
  password: string
  ldapServerId: string
}): Promise<void> {
  startSession(await call(auth.ldapLogin, { body }))
}

export const fetchInvitation = (userKey: string, signal: AbortSignal) =>
  call(auth.invitation, { body: { userKey } }, { signal })
