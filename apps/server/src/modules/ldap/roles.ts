import type { Role } from '@flotilla/contract/access'
import type { LdapSettings } from '@flotilla/contract/people/ldap-servers'
import { dnKey } from './names'

/**
 * The roles that the groups assign, highest first; an empty list means that the person may not use this site. Undefined
 * when no group assigns roles. Without groups for users, everyone is a user; an instructor is always one too.
 */
export function rolesOf(
  { roleGroups }: Pick<LdapSettings, 'roleGroups'>,
  groups: readonly string[],
): Role[] | undefined {
  const { admin, instructor, user } = roleGroups
  if (admin.length + instructor.length + user.length === 0) return undefined
  const isIn = (list: string[]) => list.some((dn) => groups.includes(dnKey(dn)))
  return [
    ...(isIn(admin) ? (['admin'] as const) : []),
    ...(isIn(instructor) ? (['instructor'] as const) : []),
    ...(user.length === 0 || isIn(user) || isIn(instructor) ? (['user'] as const) : []),
  ]
}
