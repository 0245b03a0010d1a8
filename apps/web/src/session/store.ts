import { firstMessages } from '@flotilla/contract/first-messages'
import type { User } from '@flotilla/contract/people/users'
import { createStore, useStore } from '../store'
import { notices } from '../ui/feedback/notices-store'
import { clearStored, readStored, writeStored } from './storage'

/** `keepPath` is false after a logout: the next user starts at their own home page. */
export type Session =
  | { status: 'checking' }
  | { status: 'unreachable' }
  | { status: 'guest'; keepPath: boolean }
  | { status: 'in'; token: string; tokenReceivedAt: number; user: User }

const TOKEN = 'token'

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

export function endSession(by: EndedBy): void {
  if (session.get().status === 'guest') return
  clearStored()
  session.set({ status: 'guest', keepPath: by !== 'logout' })
  const text = notice[by]
  // Stays on the login page, so that users who return later see why they were logged out.
  if (text) notices.stay(text)
  if (by === 'timeUp') thankYou.set(true)
}
