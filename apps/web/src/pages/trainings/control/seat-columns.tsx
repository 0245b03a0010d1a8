import type { Seat } from '@flotilla/contract/trainings/entity'
import type { Column } from '../../../table/column'
import { numberColumn, statusColumn, textColumn, timeColumn } from '../../../table/columns'
import { runningText, seatText } from '../training-text'

export const seatColumns: readonly Column<Seat>[] = [
  numberColumn({
    id: 'number',
    header: 'Seat',
    value: ({ number }) => number,
    width: 84,
    least: 68,
    priority: 1,
  }),
  textColumn({
    id: 'name',
    header: 'Name',
    value: ({ fullName }) => fullName,
    width: 160,
    least: 92,
    grow: true,
    priority: 1,
  }),
  statusColumn({
    id: 'state',
    header: 'State',
    value: (seat) => seatText(seat).label,
    tone: (seat) => seatText(seat).tone,
    width: 130,
    least: 112,
    priority: 1,
  }),
  textColumn({
    id: 'email',
    header: 'Email',
    value: ({ participantEmail }) => participantEmail,
    width: 200,
    priority: 2,
  }),
  textColumn({ id: 'running', header: 'Running', value: runningText, width: 130, priority: 2 }),
  numberColumn({ id: 'load', header: 'Load', value: ({ load }) => load, digits: 2, width: 80, priority: 3 }),
  timeColumn({ id: 'verified', header: 'Verified', value: ({ verifiedAt }) => verifiedAt, priority: 3 }),
  timeColumn({ id: 'seen', header: 'Last seen', value: ({ lastSeenAt }) => lastSeenAt, priority: 2 }),
  textColumn({
    id: 'username',
    header: 'Account',
    value: ({ username }) => username,
    mono: true,
    width: 150,
    priority: 3,
  }),
  timeColumn({ id: 'end', header: 'Ends', value: ({ endTime }) => endTime, priority: 3 }),
]
