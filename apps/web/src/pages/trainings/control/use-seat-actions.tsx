import { countText } from '@flotilla/contract/count-text'
import { messages } from '@flotilla/contract/messages'
import type { Seat, Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { Eye, Hand, MessageSquare, MonitorX, RotateCcw, TimerReset, UserX } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { showError } from '../../../api/errors'
import { useApiMutation } from '../../../api/query'
import { useIsAdmin } from '../../../session/user'
import type { BulkAction } from '../../../table/selection/bulk-bar'
import type { BulkContext } from '../../../table/selection/use-bulk-run'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import type { MenuEntry } from '../../../ui/overlay/menu-entry'
import { ExtendDialog } from './extend-dialog'
import { MessageDialog } from './message-dialog'
import { useManyParticipants } from './use-many-participants'
import { WatchDialog } from './watch-dialog'

type What = 'watch' | 'message' | 'extend' | 'vnc' | 'reset' | 'remove'
type Open = { what: What; seats: readonly Seat[]; bulk?: BulkContext } | null

const emailsOf = (seats: readonly Seat[]): string[] =>
  seats.flatMap(({ participantEmail }) => participantEmail ?? [])
const namesOf = (seats: readonly Seat[]): string =>
  seats.length === 1 ? (seats[0]?.fullName ?? '') : countText(seats.length, 'participant')

/** An instructor's actions for one or several participants. Render `dialogs` to show their dialogs. */
export function useSeatActions(training: Training): {
  entriesOf: (seat: Seat) => readonly MenuEntry[]
  bulkOf: (seats: readonly Seat[]) => readonly BulkAction[]
  dialogs: ReactNode
} {
  const admin = useIsAdmin()
  const { id } = training
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const invalidates = [trainings.seats, trainings.view]
  const options = { admin, invalidates, onSuccess: close }
  const hand = useApiMutation(trainings.lowerHand, { admin, invalidates })
  const reset = useApiMutation(trainings.resetSeat, { ...options, success: 'Seat reset' })
  const vnc = useApiMutation(trainings.terminateVnc, { ...options, success: 'VNC sessions terminated' })
  const remove = useApiMutation(trainings.removeUsers, { ...options, success: 'Users removed completely' })
  const doMany = useManyParticipants(id)
  const ended = training.state === 'ended' ? 'This workshop has ended' : null

  /** Shows the text of the specification, followed by the server's reason. */
  const failed = (text: string) => (error: unknown) => {
    const { message } = toApiError(error)
    close()
    showError(new Error(message ? `${text}: ${message}` : text))
  }

  const entriesOf = (seat: Seat): readonly MenuEntry[] => {
    const free = seat.participantEmail === null ? 'This seat is free' : null
    const choose = (what: What) => () => setOpen({ what, seats: [seat] })
    return [
      ...(seat.handRaisedAt === null
        ? []
        : [
            {
              label: 'Lower hand',
              icon: Hand,
              onSelect: () => hand.mutate({ id, number: String(seat.number), body: { raised: false } }),
            },
          ]),
      {
        label: 'Send message',
        icon: MessageSquare,
        disabledReason: free ?? ended,
        onSelect: choose('message'),
      },
      {
        label: 'Extend session',
        icon: TimerReset,
        disabledReason: free ?? ended,
        onSelect: choose('extend'),
      },
      'separator',
      {
        label: 'Watch desktop',
        icon: Eye,
        disabledReason: seat.desktopId === null ? 'No desktop is running' : null,
        onSelect: choose('watch'),
      },
      { label: 'Terminate VNC session', icon: MonitorX, disabledReason: free, onSelect: choose('vnc') },
      {
        label: 'Reset seat',
        icon: RotateCcw,
        disabledReason: ended ?? (seat.userId === null ? 'This seat has no account yet' : null),
        onSelect: choose('reset'),
      },
      { label: 'Remove completely', icon: UserX, disabledReason: free, onSelect: choose('remove') },
    ]
  }
  const bulkOf = (chosen: readonly Seat[]): readonly BulkAction[] => {
    const seats = chosen.filter(({ participantEmail }) => participantEmail !== null)
    const disabledReason = seats.length === 0 ? 'These seats are free' : null
    const choose = (what: What) => (bulk: BulkContext) => setOpen({ what, seats, bulk })
    return [
      {
        label: 'Message',
        icon: MessageSquare,
        disabledReason: disabledReason ?? ended,
        onSelect: choose('message'),
      },
      {
        label: 'Extend',
        icon: TimerReset,
        disabledReason: disabledReason ?? ended,
        onSelect: choose('extend'),
      },
      { label: 'Terminate VNC', icon: MonitorX, disabledReason, onSelect: choose('vnc') },
      { label: 'Remove', icon: UserX, disabledReason, onSelect: choose('remove') },
    ]
  }

  const seats = open?.seats ?? []
  const body = { userEmails: emailsOf(seats), clusterId: null }
  const many = (work: 'removeUsers' | 'terminateVnc', bulk: BulkContext) => {
    close()
    const people = seats.map(({ number, fullName, participantEmail }) => ({
      id: String(number),
      name: fullName ?? `Seat ${number}`,
      email: participantEmail ?? '',
    }))
    void doMany(work, people, bulk)
  }
  const dialogs = open && (
    <>
      {open.what === 'watch' && seats[0] && <WatchDialog seat={seats[0]} onClose={close} />}
      {open.what === 'message' && (
        <MessageDialog training={training} seats={seats} onDone={open.bulk?.clear} onClose={close} />
      )}
      {open.what === 'extend' && (
        <ExtendDialog training={training} seats={seats} onDone={open.bulk?.clear} onClose={close} />
      )}
      {open.what === 'vnc' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Terminate VNC sessions for ${namesOf(seats)}?`}
          confirmLabel="Terminate VNC sessions"
          onConfirm={() =>
            open.bulk
              ? many('terminateVnc', open.bulk)
              : vnc.mutateAsync({ id, body }).catch(failed(messages.terminateVncFailed))
          }
        >
          <p>Programs on these desktops are closed, and unsaved work is lost. New desktops can be started.</p>
        </ConfirmDialog>
      )}
      {open.what === 'reset' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Reset seat ${seats[0]?.number}?`}
          confirmLabel="Reset seat"
          onConfirm={() => reset.mutateAsync({ id, number: String(seats[0]?.number) }).catch(close)}
        >
          <p>
            {seats[0]?.fullName ?? 'The participant'} is logged out and gets a fresh account at the same seat.
            Everything running there is ended.
          </p>
        </ConfirmDialog>
      )}
      {open.what === 'remove' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Remove ${namesOf(seats)} completely?`}
          confirmLabel="Remove completely"
          onConfirm={() =>
            open.bulk
              ? many('removeUsers', open.bulk)
              : remove.mutateAsync({ id, body }).catch(failed(messages.removeUsersFailed))
          }
        >
          <p>
            Their accounts, registrations and attendance are permanently deleted, and they are logged out.
            Their seats become free. They can register again with the session code.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
  return { entriesOf, bulkOf, dialogs }
}
