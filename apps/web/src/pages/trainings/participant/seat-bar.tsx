import type { OwnSeat } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { Hand, Maximize, MessageSquare, Minimize } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { RefObject } from 'react'
import { useApiMutation } from '../../../api/query'
import { Button } from '../../../ui/button/button'
import { PageHeader } from '../../../ui/layout/page-header'
import { MessagesDialog } from './messages-dialog'
import { TimeLeft } from './time-left'
import { useUnread } from './use-unread'

/** A participant's toolbar: the time left, help from the instructor, messages and full screen. */
export function SeatBar({ seat, box }: { seat: OwnSeat; box: RefObject<HTMLDivElement | null> }) {
  const { training, handRaisedAt, messages, endTime } = seat
  const [reading, setReading] = useState(false)
  const { unread, markRead } = useUnread(seat)
  const raised = handRaisedAt !== null
  const hand = useApiMutation(trainings.raiseOwnHand, { invalidates: [trainings.own] })
  return (
    <>
      <PageHeader
        title={training.name}
        meta={<TimeLeft endTime={endTime} />}
        description={`Seat ${seat.number}. Your instructor is ${training.instructor}.`}
        actions={
          <>
            <Button
              icon={Hand}
              variant={raised ? 'primary' : 'secondary'}
              aria-pressed={raised}
              busy={hand.isPending}
              onClick={() => hand.mutate({ body: { raised: !raised } })}
            >
              {raised ? 'Lower hand' : 'Raise hand'}
            </Button>
            <Button icon={MessageSquare} onClick={() => setReading(true)}>
              Messages
              {unread > 0 && (
                <span className="ml-1.5 rounded-full bg-accent px-1.5 text-label text-on-accent tabular-nums">
                  {unread}
                  <span className="sr-only"> unread</span>
                </span>
              )}
            </Button>
            <FullScreenButton box={box} />
          </>
        }
      />
      {reading && (
        <MessagesDialog
          messages={messages}
          onClose={() => {
            markRead()
            setReading(false)
          }}
        />
      )}
    </>
  )
}

const subscribe = (notify: () => void) => {
  document.addEventListener('fullscreenchange', notify)
  return () => document.removeEventListener('fullscreenchange', notify)
}

function FullScreenButton({ box }: { box: RefObject<HTMLDivElement | null> }) {
  const isFull = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null)
  // Leaving the page also exits full screen.
  useEffect(
    () => () => {
      if (document.fullscreenElement) void document.exitFullscreen()
    },
    [],
  )
  // Some phones do not support full screen.
  if (!document.fullscreenEnabled) return null
  return (
    <Button
      icon={isFull ? Minimize : Maximize}
      onClick={() => void (isFull ? document.exitFullscreen() : box.current?.requestFullscreen())}
    >
      {isFull ? 'Exit full screen' : 'Full screen'}
    </Button>
  )
}
