import { firstMessages } from '@flotilla/contract/first-messages'
import type { User } from '@flotilla/contract/people/users'
import { createStore, useStore } from '../store'
import { notices } from '../ui/feedback/notices-store'
import { clearStored, clearTab, readStored, writeStored } from './storage'

/** `keepPath` is false after a logout: the next user starts at their own home page. */
export type Session =
  | { status: 'checking' }
  | { status: 'unreachable' }
  | { status: 'guest'; keepPath: boolean }
  | { status: 'in'; token: string; tokenReceivedAt: number; user: User }

const TOKEN = 'token'
/** Why the session ended, for the other tabs; removed at once. */
export const ENDED = 'ended'

export const session = createStore<Session>(
  readStored(TOKEN) ? { status: 'checking' } : { status: 'guest', keepPath: true },
)
export const useSession = (): Session => useStore(session)

/** Opens after a timed session has ended. */
export const thankYou = createStore(false)

export const currentUser = (): User | null => {
  const now = session.get()
  return now.status === 'in' ? now.user : null
}

/** While the saved token is being checked, calls already use it. */
export const currentToken = (): string | null => {
  const now = session.get()
  return now.status === 'in' ? now.token : readStored(TOKEN)
}

export function enterSession(token: string, user: User): void {
  writeStored(TOKEN, token)
  session.set({ status: 'in', token, tokenReceivedAt: Date.now(), user })
}

export type EndedBy =
  /** The user chose Logout, here or in another tab. */
  | 'logout'
  /** The server no longer knows the session. */
  | 'ended'
  /** The user was idle for too long. */
  | 'idle'
  /** Ended by an administrator, without a notice. */
  | 'silent'
  /** The end of a timed session: its end time was reached, or its workshop is over. */
  | 'timeUp'

const notice: Partial<Record<EndedBy, string>> = {
  ended: firstMessages.sessionEnded,
  idle: firstMessages.sessionExpired,
  timeUp: firstMessages.sessionExpired,
}

const isEnd = (text: string): text is EndedBy =>
  ['logout', 'ended', 'idle', 'silent', 'timeUp'].includes(text)

/** Ends the session in every tab, each of which then shows the reason. */
export function endSession(by: EndedBy): void {
  if (session.get().status === 'guest') return
  const cause = isTimeUp(by) ? 'timeUp' : by
  // Other tabs receive each write in order: this one before the loss of the token.
  writeStored(ENDED, cause)
  clearStored()
  leaveHere(cause)
}

/** Another tab ended the session and has cleared what was stored. */
export function followEnd(by: string | null): void {
  if (session.get().status === 'guest') return
  clearTab()
  leaveHere(by !== null && isEnd(by) ? by : 'logout')
}

/** A call may be rejected, or another tab may notice the end, before this tab's clock ticks. */
const isTimeUp = (by: EndedBy): boolean => {
  const endTime = currentUser()?.endTime ?? null
  return (by === 'ended' || by === 'idle') && endTime !== null && endTime <= Date.now()
}

function leaveHere(by: EndedBy): void {
  session.set({ status: 'guest', keepPath: by !== 'logout' })
  const text = notice[by]
  // Stays on the login page, so that users who return later see why they were logged out.
  if (text) notices.stay(text)
  if (by === 'timeUp') thankYou.set(true)
}
