import { actionText } from '@flotilla/contract/people/audit'
import type { User } from '@flotilla/contract/people/users'
import { History } from 'lucide-react'
import { Card } from '../../ui/layout/card'
import { EmptyState } from '../../ui/feedback/empty-state'
import { RelativeTime } from '../../ui/text/relative-time'

/** 'Mesh' for 'job Mesh', where the action already says that it was a job; nothing for the user themselves. */
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
              // Two actions may happen in the same millisecond.
              key={`${time} ${index}`}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-0.5 border-b border-line-1 px-4 py-2.5 last:border-b-0"
            >
              <span className="flex min-w-0 flex-wrap gap-x-2 wrap-anywhere">
                <span className="font-medium">{actionText(action)}</span>
                <span className="text-ink-2">{subjectText(username, action, subject)}</span>
              </span>
              <span className="text-label text-ink-3">
                <RelativeTime at={time} />
              </span>
              {detail && (
                <span
                  className="col-span-2 line-clamp-2 text-label whitespace-pre-line text-ink-3 wrap-anywhere"
                  title={detail}
                >
                  {detail}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
