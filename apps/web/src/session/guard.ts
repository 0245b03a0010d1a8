import { homeOf, mayAccess } from '@flotilla/contract/access'
import type { Access } from '@flotilla/contract/access'
import { pageRoles, type RoleHolder } from './page-roles'
import { safePath } from './return-path'

export type Visit = {
  access: Access
  user: RoleHolder | null
  /** Path and search of the requested page. */
  path: string
  /** Where the user wanted to go before they had to log in. */
  returnTo?: unknown
  /** Whether to return to the requested path (not after a logout). */
  keepPath: boolean
}

export type Verdict = 'enter' | { go: string; returnTo?: string }

/** Whether the user may see the page, and if not, where they go. */
export function guard({ access, user, path, returnTo, keepPath }: Visit): Verdict {
  if (mayAccess(access, user && pageRoles(user))) return 'enter'
  if (!user) return keepPath ? { go: '/login', returnTo: path } : { go: '/login' }
  if (access !== 'guest') return { go: homeOf(user.role) }
  return { go: safePath(returnTo) ?? homeOf(user.role) }
}
