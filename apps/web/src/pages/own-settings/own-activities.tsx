import { actionText } from '@flotilla/contract/people/audit'
import type { User } from '@flotilla/contract/people/users'
import { History } from 'lucide-react'
import { Card } from '../../ui/layout/card'
import { EmptyState } from '../../ui/feedback/empty-state'
import { RelativeTime } from '../../ui/text/relative-time'

/** The subject without the kind that the action already names: 'Mesh' for 'job Mesh'. Empty for the user themselves. */
export function subjectText(username: string, action: string, subject: string): string {
  if (subject === `user ${username}`) return ''
  const [kind = ''] = subject.split(' ', 1)
  return action.startsWith(`${kind} `) ? subject.slice(kind.length + 1) : subject
}

/** The user's recent actions, as recorded by the server. */
export function OwnActivities({ username, activities }: Pick<User, 'username' | 'activities'>) {
  return (
    <Card flush title="Recent activity" description="Actions taken by you or on your behalf.">
      {activities.length === 0 ? (
        <EmptyState icon={History} title="No activity yet">
          Your changes appear here, newest first.
        </EmptyState>
      ) : (
        <ul className="border-t border-line-1">
          {activities.map(({ time, action, subject, detail }, index) => (
            <li
              // The index keeps keys unique, because two actions may have the same time.
              key={`${time} ${index}`}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 border-b border-line-1 px-4 py-2 last:border-b-0"
            >
              <span className="line-clamp-2 wrap-anywhere" title={detail}>
                <span className="font-medium">{actionText(action)}</span>
                <span className="ml-2 text-ink-2">{subjectText(username, action, subject)}</span>
                {detail && <span className="ml-2 text-ink-3">{detail}</span>}
              </span>
              <span className="text-label text-ink-3">
                <RelativeTime at={time} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
