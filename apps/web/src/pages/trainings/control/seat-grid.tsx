import type { Seat } from '@flotilla/contract/trainings/entity'
import { BadgeCheck, Hand } from 'lucide-react'
import type { ReactNode } from 'react'
import { Glyph } from '../../../ui/status/icon'
import { Menu } from '../../../ui/overlay/menu'
import type { MenuEntry } from '../../../ui/overlay/menu-entry'
import { Status } from '../../../ui/status/status'
import { cx } from '../../../ui/text/cx'
import { RelativeTime } from '../../../ui/text/relative-time'
import { runningText, seatText } from '../training-text'

interface Props {
  seats: readonly Seat[]
  toolbar: ReactNode
  entriesOf: (seat: Seat) => readonly MenuEntry[]
}

/** Sorts raised hands first, in the order in which they were raised, then by seat number. */
const byUrgency = (a: Seat, b: Seat): number =>
  (a.handRaisedAt ?? Infinity) - (b.handRaisedAt ?? Infinity) || a.number - b.number

/** Taken seats as tiles. Free seats are only counted. */
export function SeatGrid({ seats, toolbar, entriesOf }: Props) {
  const taken = seats.filter(({ participantEmail }) => participantEmail !== null).toSorted(byUrgency)
  const free = seats.length - taken.length
  return (
    <section aria-label="Seats">
      <div className="mb-3 flex items-center justify-between gap-3">
        <p className="text-body text-ink-2">
          {taken.length === 0
            ? 'No one has joined yet. Share the session code.'
            : `${taken.length} taken, ${free} free`}
        </p>
        {toolbar}
      </div>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,13.5rem),1fr))] gap-3">
        {taken.map((seat) => (
          <Tile key={seat.number} seat={seat} entries={entriesOf(seat)} />
        ))}
      </ul>
    </section>
  )
}

function Tile({ seat, entries }: { seat: Seat; entries: readonly MenuEntry[] }) {
  const { label, tone } = seatText(seat)
  const raised = seat.handRaisedAt !== null
  const running = runningText(seat)
  return (
    <li
      className={cx(
        'flex min-w-0 flex-col gap-2 rounded-card border p-3',
        raised ? 'border-amber bg-amber-soft' : 'border-line-1 bg-surface-2',
      )}
    >
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <p className="flex items-center gap-1.5 text-form font-medium" title={seat.fullName ?? undefined}>
            <span className="truncate">{seat.fullName}</span>
            {seat.verifiedAt !== null && (
              <span title="Confirmed their email address" className="shrink-0 text-green">
                <Glyph icon={BadgeCheck} className="size-3.5" />
                <span className="sr-only">Verified</span>
              </span>
            )}
          </p>
          <p className="truncate text-label text-ink-3" title={seat.participantEmail ?? undefined}>
            Seat {seat.number} · {seat.participantEmail}
          </p>
        </div>
        <Menu label={`Actions for ${seat.fullName}`} items={entries} />
      </div>
      <div className="flex items-center justify-between gap-2 text-body">
        <Status tone={tone} detail={raised && <RelativeTime at={seat.handRaisedAt} />}>
          {label}
        </Status>
        {raised && <Glyph icon={Hand} className="shrink-0 text-amber" />}
      </div>
      <p className="truncate text-label text-ink-3">
        {running}
        {!(running && seat.online) && (
          <>
            {running && ' · '}Last seen <RelativeTime at={seat.lastSeenAt} />
          </>
        )}
        {seat.load !== null && ` · load ${seat.load.toFixed(2)}`}
      </p>
    </li>
  )
}
