import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { MessageSquare } from 'lucide-react'
import { useApiQuery } from '../../../api/query'
import { Async } from '../../../ui/feedback/async'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { RelativeTime } from '../../../ui/text/relative-time'

/** The messages sent to participants, newest first. */
export function Messages({ training }: { training: Training }) {
  const sent = useApiQuery(trainings.messages, { id: training.id })
  return (
    <div className="rounded-card border border-line-1 bg-surface-2">
      <Async
        data={sent}
        empty={
          <EmptyState icon={MessageSquare} title="No messages yet">
            A message to everyone, or to one participant from their seat, appears on their screens
            immediately.
          </EmptyState>
        }
      >
        {(rows) => (
          <ul className="divide-y divide-line-1">
            {rows.map(({ id, sender, text, sentAt, participantEmail }) => (
              <li key={id} className="px-4 py-3 text-body">
                <p className="text-label text-ink-3">
                  {sender} to {participantEmail ?? 'everyone'} · <RelativeTime at={sentAt} />
                </p>
                <p className="mt-0.5 wrap-anywhere whitespace-pre-line">{text}</p>
              </li>
            ))}
          </ul>
        )}
      </Async>
    </div>
  )
}
