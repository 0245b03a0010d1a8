import { homeOf, mayAccess } from '@flotilla/contract/access'
import type { Access } from '@flotilla/contract/access'
import type { User } from '@flotilla/contract/people/users'
import { safePath } from './return-path'

export type Visit = {
  access: Access
  user: Pick<User, 'role'> | null
  /** Path and search of the page that was asked for. */
  path: string
  /** Where this person wanted to go before they had to log in. */
  returnTo?: unknown
  /** Whether the path asked for is worth coming back to (not after a logout). */
  keepPath: boolean
}

export type Verdict = 'enter' | { go: string; returnTo?: string }

/** May this person see this page, and if not, where do they go? */
export function guard({ access, user, path, returnTo, keepPath }: Visit): Verdict {
  if (mayAccess(access, user?.role ?? null)) return 'enter'
  if (!user) return keepPath ? { go: '/login', returnTo: path } : { go: '/login' }
  if (access !== 'guest') return { go: homeOf(user.role) }
  return { go: safePath(returnTo) ?? homeOf(user.role) }
}
