import type { LoggedIn } from '@flotilla/contract/people/auth'
import { ApiError } from '@flotilla/client/api-error'
import { notices } from '../ui/feedback/notices-store'
import { isIdle, lastActivity, noteActivity } from '../session/activity'
import { PREFIX } from '../session/storage'
import {
  ENDED,
  currentToken,
  currentUser,
  endSession,
  enterSession,
  followEnd,
  session,
} from '../session/store'
import type { EndedBy } from '../session/store'
import { readToken } from '../session/token'

const authCalls = () => import('./auth-calls')

/** Called after a login. The router opens the requested path, or the user's home page. */
export function startSession({ token, user }: LoggedIn): void {
  // The notice about the end of the previous session is outdated.
  notices.clear()
  noteActivity(Date.now())
  enterSession(token, user)
}

/** Registration returns only a token, so a refresh fetches the user. */
export async function startSessionWithToken(token: string): Promise<void> {
  const { requestRefresh } = await authCalls()
  startSession(await requestRefresh({ token }))
}

/** Gets a fresh token for an active session; an ended one is closed by the 401 (see call). */
export async function refreshSession(options: { repeat: boolean }): Promise<void> {
  const { requestRefresh } = await authCalls()
  const { token, user } = await requestRefresh(options)
  // The user may have logged out while the request was in progress.
  if (currentUser()?.id === user.id) enterSession(token, user)
}

/** At startup: is the saved token still valid? An unreachable server is not a logout. */
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

/** Ends the session here immediately and notifies the server; if that fails, the session expires by itself. */
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

/** Tabs share one session: they follow each other's token changes. */
export function followOtherTabs(idleMs: number): void {
  addEventListener('storage', (event) => {
    if (event.key === PREFIX + ENDED && event.newValue) return followEnd(event.newValue)
    if (event.key !== `${PREFIX}token` && event.key !== null) return
    const token = event.key === null ? null : event.newValue
    if (!token) return followEnd(null)
    const now = session.get()
    const samePerson = now.status === 'in' && readToken(now.token).subject === readToken(token).subject
    if (samePerson) return enterSession(token, now.user)
    session.set({ status: 'checking' })
    void checkSavedSession(idleMs)
  })
}
