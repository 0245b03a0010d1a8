import type { TrainingMessage } from '@flotilla/contract/trainings/entity'
import { MessageSquare } from 'lucide-react'
import { Dialog } from '../../../ui/overlay/dialog'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { RelativeTime } from '../../../ui/text/relative-time'

export function MessagesDialog({
  messages,
  onClose,
}: {
  messages: readonly TrainingMessage[]
  onClose: () => void
}) {
  return (
    <Dialog open side size="s" onClose={onClose} title="Messages" description="From your instructor">
      {messages.length === 0 ? (
        <EmptyState icon={MessageSquare} title="No messages yet">
          Messages from your instructor, to you or to everyone, appear here.
        </EmptyState>
      ) : (
        <ul className="flex flex-col gap-3" aria-live="polite">
          {messages.toReversed().map(({ id, sender, text, sentAt, participantEmail }) => (
            <li key={id} className="rounded-card border border-line-1 bg-surface-1 p-3 text-body">
              <p className="text-label text-ink-3">
                {sender} to {participantEmail === null ? 'everyone' : 'you'} · <RelativeTime at={sentAt} />
              </p>
              <p className="wrap-anywhere whitespace-pre-line">{text}</p>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
