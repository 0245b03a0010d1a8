import type { LoggedIn } from '@flotilla/contract/people/auth'
import { ApiError } from '@flotilla/client/api-error'
import { isIdle, lastActivity, noteActivity } from './activity'
import { PREFIX } from './storage'
import { currentToken, currentUser, endSession, enterSession, session } from './store'
import type { EndedBy } from './store'
import { readToken } from './token'

const authCalls = () => import('./auth-calls')

/** After a login. The router brings the person to the path they came for, or home. */
export function startSession({ token, user }: LoggedIn): void {
  noteActivity(Date.now())
  enterSession(token, user)
}

/** Registration answers a token only: the first refresh tells whose it is. */
export async function startSessionWithToken(token: string): Promise<void> {
  const { requestRefresh } = await authCalls()
  startSession(await requestRefresh({ token }))
}

/** A fresh token for the living session; a dead one ends by the 401 (see call). */
export async function refreshSession(options: { repeat: boolean }): Promise<void> {
  const { requestRefresh } = await authCalls()
  const { token, user } = await requestRefresh(options)
  // Somebody may have logged out while the answer was under way.
  if (currentUser()?.id === user.id) enterSession(token, user)
}

/** At the start: is the saved token still good? An unreachable server is no logout. */
export async function checkSavedSession(idleMs: number): Promise<void> {
  if (session.get().status === 'guest') return
  if (isIdle(Date.now(), idleMs, lastActivity())) return leave('idle')
  session.set({ status: 'checking' })
  try {
    const { requestRefresh } = await authCalls()
    startSession(await requestRefresh())
  } catch (error) {
    if (session.get().status !== 'checking') return
    const rejected =
      error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429
    if (rejected) endSession('ended')
    else session.set({ status: 'unreachable' })
  }
}

/** Ends it here at once and tells the server; a server that cannot be told lets the session run out by itself. */
export function leave(by: EndedBy): void {
  if (session.get().status === 'guest') return
  void notifyServer(currentToken())
  endSession(by)
}

async function notifyServer(token: string | null): Promise<void> {
  if (!token) return
  try {
    const { requestLogout } = await authCalls()
    await requestLogout(token)
  } catch {
    return
  }
}

export const logout = (): void => leave('logout')

/** Tabs share one session: what one does to the token the others follow. */
export function followOtherTabs(idleMs: number): void {
  addEventListener('storage', (event) => {
    if (event.key !== `${PREFIX}token` && event.key !== null) return
    const token = event.key === null ? null : event.newValue
    if (!token) return endSession('logout')
    const now = session.get()
    const samePerson = now.status === 'in' && readToken(now.token).subject === readToken(token).subject
    if (samePerson) return enterSession(token, now.user)
    session.set({ status: 'checking' })
    void checkSavedSession(idleMs)
  })
}
