import type { User } from '@flotilla/contract/people/users'
import { Card } from '../ui/layout/card'
import { KeyValue } from '../ui/text/key-value'
import { RelativeTime } from '../ui/text/relative-time'
import { Status } from '../ui/status/status'
import { RoleBadges } from './role-badges'

/** Shows who a user is, at a glance. */
export function Identity({ user }: { user: User }) {
  return (
    <Card title={`${user.firstName} ${user.lastName}`.trim() || user.username} description={user.email}>
      <KeyValue
        items={[
          { label: 'Username', value: <span className="font-mono">{user.username}</span> },
          { label: 'Roles', value: <RoleBadges held={user.role} /> },
          {
            label: 'Email',
            value: user.participant ? user.participantEmail : <EmailState verified={user.verified} />,
          },
          { label: 'Login method', value: loginMethod(user) },
          { label: 'Member since', value: <RelativeTime at={user.createdAt} /> },
          {
            label: 'Account expires',
            value: user.endTime === null ? 'Never' : <RelativeTime at={user.endTime} />,
          },
        ]}
      />
    </Card>
  )
}

function loginMethod({ participant, authType }: User): string {
  if (participant) return 'Session code'
  return authType === 'ldap' ? 'LDAP directory' : 'Password'
}

const EmailState = ({ verified }: { verified: boolean }) =>
  verified ? <Status tone="green">Confirmed</Status> : <Status tone="amber">Not confirmed</Status>
