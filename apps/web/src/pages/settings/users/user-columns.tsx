import type { User } from '@flotilla/contract/people/users'
import { roleNames, sortedRoles } from '../../../account/role-badges'
import { paths } from '../../../paths'
import type { Column } from '../../../table/column'
import { statusColumn, tagsColumn, textColumn, timeColumn } from '../../../table/columns'
import { RowLink } from '../../../ui/button/link'
import type { Tone } from '../../../ui/status/tone'
import { isWaiting } from './approval'

/** The most important state of an account, as a label. */
function accountState(
  user: User,
  now: number,
  approvalNeeded: boolean,
  isLockedOut: boolean,
): { label: string; tone: Tone } {
  if (isLockedOut) return { label: 'Locked out', tone: 'red' }
  if (user.endTime !== null && user.endTime <= now) return { label: 'Expired', tone: 'gray' }
  if (!user.verified) return { label: 'Not confirmed', tone: 'amber' }
  if (isWaiting(user, approvalNeeded)) return { label: 'Waiting for approval', tone: 'amber' }
  return user.endTime === null ? { label: 'Active', tone: 'green' } : { label: 'Temporary', tone: 'green' }
}

export const userColumns = (
  approvalNeeded: boolean,
  isLockedOut: (user: User) => boolean,
): readonly Column<User>[] => [
  {
    id: 'username',
    header: 'Username',
    type: 'text',
    width: 140,
    grow: true,
    priority: 1,
    value: (user) => user.username,
    // The dialog is part of the URL, so that a user can be linked to.
    cell: (user) => (
      <RowLink to={paths.settings()} search={(now: object) => ({ ...now, edit: user.username })}>
        {user.username}
      </RowLink>
    ),
  },
  textColumn({
    id: 'name',
    header: 'Name',
    value: (user) => `${user.firstName} ${user.lastName}`.trim(),
    width: 140,
    grow: true,
    priority: 2,
  }),
  textColumn({
    id: 'email',
    header: 'Email',
    value: (user) => user.email,
    // The email address helps an admin recognize users who are waiting for approval.
    priority: approvalNeeded ? 2 : 3,
    width: 180,
    grow: true,
  }),
  tagsColumn({
    id: 'role',
    header: 'Roles',
    value: (user) => sortedRoles(user.role).map((role) => roleNames[role]),
    width: 190,
    priority: approvalNeeded ? 3 : 2,
  }),
  statusColumn({
    id: 'state',
    header: 'State',
    value: (user) => accountState(user, Date.now(), approvalNeeded, isLockedOut(user)).label,
    tone: (user) => accountState(user, Date.now(), approvalNeeded, isLockedOut(user)).tone,
    width: approvalNeeded ? 172 : 128,
    priority: 2,
  }),
  timeColumn({
    id: 'lastSeenAt',
    header: 'Last seen',
    value: (user) => user.lastSeenAt,
    width: 128,
    priority: approvalNeeded ? 3 : 2,
  }),
  timeColumn({
    id: 'createdAt',
    header: 'Created',
    value: (user) => user.createdAt,
    width: 128,
    priority: 3,
  }),
]
