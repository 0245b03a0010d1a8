import { roles, type Role } from '@flotilla/contract/access'
import { Badge } from '../ui/status/badge'

export const roleNames: Record<Role, string> = {
  admin: 'Admin',
  instructor: 'Instructor',
  user: 'User',
  participant: 'Participant',
}

/** Highest first, whatever the input order. */
export const sortedRoles = (held: readonly Role[]): Role[] => roles.filter((role) => held.includes(role))

export function RoleBadges({ held }: { held: readonly Role[] }) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      {sortedRoles(held).map((role) => (
        <Badge key={role} tone={role === 'admin' ? 'blue' : 'gray'}>
          {roleNames[role]}
        </Badge>
      ))}
    </span>
  )
}
