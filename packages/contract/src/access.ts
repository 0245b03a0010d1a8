/** From highest to lowest: a user's effective role is the first of these that they hold. */
export const roles = ['admin', 'instructor', 'user', 'participant'] as const
export type Role = (typeof roles)[number]

/**
 * Who may open a page or make a call. No list means everyone, an empty list means only visitors who are not logged in,
 * any other list means users who hold one of its roles. The web's routes and the server's endpoints use this one table.
 */
export const access = {
  everyone: undefined,
  guest: [],
  admin: ['admin'],
  instructor: ['admin', 'instructor'],
  user: ['admin', 'user'],
  userOrParticipant: ['admin', 'user', 'participant'],
  instructorOrParticipant: ['admin', 'instructor', 'participant'],
  /** Every logged-in user except participants. */
  member: ['admin', 'instructor', 'user'],
  loggedIn: roles,
} as const satisfies Record<string, readonly Role[] | undefined>
export type Access = keyof typeof access

/** `held` is null for a visitor. */
export function mayAccess(required: Access, held: readonly Role[] | null): boolean {
  const list: readonly Role[] | undefined = access[required]
  if (!list) return true
  if (list.length === 0) return held === null
  return held !== null && held.some((role) => list.includes(role))
}

/** The scopes of access tokens, from least to most: each includes those before it. */
export const tokenScopes = ['read', 'jobs', 'all'] as const
export type TokenScope = (typeof tokenScopes)[number]
/** The minimum scope with which a token may make a call; `never` requires a login session. */
export type TokenRule = TokenScope | 'never'

export const scopeAllows = (held: TokenScope, rule: TokenRule): boolean =>
  rule !== 'never' && tokenScopes.indexOf(held) >= tokenScopes.indexOf(rule)

const effectiveRole = (held: readonly Role[]): Role => roles.find((role) => held.includes(role)) ?? 'user'

type Holder = { role: readonly Role[] }
export const isAdmin = ({ role }: Holder): boolean => role.includes('admin')
/** Whether the user holds no other role: an instructor may have a seat in another's workshop as well. */
export const isParticipant = ({ role }: Holder): boolean => effectiveRole(role) === 'participant'

const homes: Record<Role, string> = {
  admin: '/dashboard',
  instructor: '/trainings',
  user: '/clusters',
  participant: '/clusters',
}
export const homeOf = (held: readonly Role[]): string => homes[effectiveRole(held)]
