import { isAdmin, type Role } from '@flotilla/contract/access'
import { LAST_ADMIN } from '@flotilla/contract/errors'
import { AssignableRole, type User } from '@flotilla/contract/people/users'
import type * as z from 'zod/mini'

/** Roles that an admin can assign; participants come only from workshops. */
export type GivenRole = z.infer<typeof AssignableRole>
export const givenRoles: readonly GivenRole[] = AssignableRole.options

export const givenRolesOf = (held: readonly Role[]): GivenRole[] =>
  givenRoles.filter((role) => held.includes(role))

/** A new instructor is also a user, unless the admin removes that role again. */
export function toggleRole(held: readonly GivenRole[], role: GivenRole): GivenRole[] {
  if (held.includes(role)) return held.filter((other) => other !== role)
  const added = [...held, role]
  return role === 'instructor' && !held.includes('user') ? [...added, 'user'] : added
}

/** The server's reason why the user must remain an admin, or null. */
export function mustStayAdmin(everyone: readonly User[], person: User): string | null {
  // Admins from a directory do not count, because the directory may be down.
  const admins = everyone.filter((user) => isAdmin(user) && user.authType === 'local')
  return admins.length === 1 && admins[0]?.id === person.id ? LAST_ADMIN : null
}
