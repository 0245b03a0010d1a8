import type { Role } from '@flotilla/contract/access'
import type { User } from '@flotilla/contract/people/users'

export type RoleHolder = Pick<User, 'role' | 'participantEmail'>

/** The roles whose pages a user may open: the account of a seat keeps those of participants, whatever its roles. */
export const pageRoles = ({ role, participantEmail }: RoleHolder): readonly Role[] =>
  participantEmail === null ? role : [...role, 'participant']
